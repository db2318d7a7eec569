package org.samewire.shortener;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** The table of links. The thread of a request waits for a connection, and for its answer. */
class Links {
  private static final Logger LOG = Logger.getLogger(Links.class.getName());

  private static final Pattern HASH = Pattern.compile("[0-9A-Za-z]{6}");

  /** SQLSTATE: no connection, user or database, no resources, a shutdown, a statement given up. */
  private static final Pattern AWAY = Pattern.compile("(08|28|3D|53|57).*");

  private final DataSource pool;
  private volatile boolean away;

  Links(DataSource pool) {
    this.pool = pool;
  }

  // #region database.pool
  static Links in(Settings.Database database) {
    var config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setUsername(database.user());
    config.setPassword(database.password());
    config.setMaximumPoolSize(10);
    // Milliseconds to wait for a connection, whether all are busy or the database is away.
    config.setConnectionTimeout(5_000);
    config.setValidationTimeout(1_000);
    // The server starts without its database, too.
    config.setInitializationFailTimeout(-1);
    // PostgreSQL itself gives up a statement: one that is answered with 503 has changed nothing.
    config.addDataSourceProperty("options", "-c statement_timeout=3s");
    // Seconds, for a database that does not even do that.
    config.addDataSourceProperty("connectTimeout", 3);
    config.addDataSourceProperty("socketTimeout", 5);
    config.addDataSourceProperty("tcpKeepAlive", true);
    return new Links(new HikariDataSource(config));
  }

  // #endregion database.pool

  /** The URL of a hash, or null. What is no hash is not asked for: a text can hold no NUL. */
  String find(String hash) {
    if (!HASH.matcher(hash).matches()) {
      return null;
    }
    return execute(
        "select url from links where hash = ?",
        statement -> {
          statement.setString(1, hash);
          try (ResultSet rows = statement.executeQuery()) {
            return rows.next() ? rows.getString(1) : null;
          }
        });
  }

  /** False if the hash is taken. */
  boolean add(Link link) {
    return execute(
        "insert into links (hash, url) values (?, ?) on conflict do nothing",
        statement -> {
          statement.setString(1, link.hash());
          statement.setString(2, link.url());
          return statement.executeUpdate() == 1;
        });
  }

  void ping() {
    execute("select 1", PreparedStatement::execute);
  }

  private interface Work<T> {
    T with(PreparedStatement statement) throws SQLException;
  }

  private <T> T execute(String sql, Work<T> work) {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      T result = work.with(statement);
      note(null);
      return result;
    } catch (SQLException e) {
      if (isAway(e)) {
        note(e);
        throw new DatabaseAwayException(e);
      }
      throw new IllegalStateException("A statement fails: " + sql, e);
    }
  }

  /** Other failures are mistakes of ours. */
  static boolean isAway(SQLException failure) {
    return failure instanceof SQLTransientConnectionException // No connection in time.
        || AWAY.matcher(String.valueOf(failure.getSQLState())).matches();
  }

  /** A line when the database goes, and one when it is back. */
  private void note(SQLException failure) {
    boolean now = failure != null;
    if (away != now) {
      away = now;
      LOG.warning(now ? "the database is away: " + failure.getMessage() : "the database is back");
    }
  }

  /** There is no connection, or no answer in time. */
  static final class DatabaseAwayException extends RuntimeException {
    private static final long serialVersionUID = 1;

    DatabaseAwayException(SQLException cause) {
      super(cause);
    }
  }
}
