package org.samewire.shortener;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxException;
import io.vertx.core.net.NetClientOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/** The table of links. */
class Links {
  private static final System.Logger LOG = System.getLogger("shortener");

  /** For a connection and an answer together. PostgreSQL gives a statement up before that. */
  private static final int TIMEOUT_MILLIS = 5_000;

  private static final String STATEMENT_TIMEOUT_MILLIS = "4000";

  /** SQLSTATE: no connection, user or database, no resources, a shutdown, a statement given up. */
  private static final Pattern AWAY = Pattern.compile("(08|28|3D|53|57).*");

  private static volatile boolean away;

  private final SqlClient client;

  Links(SqlClient client) {
    this.client = client;
  }

  // #region database.pool
  /**
   * For the verticle that calls it: the connections are on its event loop. They are made when they
   * are needed. Each has several queries under way at once.
   */
  static Links in(Vertx vertx, PgConnectOptions database) {
    return new Links(
        PgBuilder.client()
            .with(
                new PoolOptions()
                    .setMaxSize(4)
                    .setMaxWaitQueueSize(8_192)
                    .setConnectionTimeout(TIMEOUT_MILLIS)
                    .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS))
            .with(
                new NetClientOptions()
                    .setConnectTimeout(TIMEOUT_MILLIS)
                    .setTcpKeepAlive(true)
                    .setTcpUserTimeout(TIMEOUT_MILLIS))
            .connectingTo(
                new PgConnectOptions(database)
                    .setCachePreparedStatements(true)
                    .setPipeliningLimit(8)
                    .addProperty("statement_timeout", STATEMENT_TIMEOUT_MILLIS))
            .using(vertx)
            .build());
  }

  // #endregion database.pool

  /** The URL of a hash, or null. What is no hash is not asked for: a text can hold no NUL. */
  Future<String> find(String hash) {
    if (hash.length() != 6 || hash.indexOf(0) >= 0) {
      return Future.succeededFuture();
    }
    return query("select url from links where hash = $1", Tuple.of(hash))
        .map(rows -> rows.size() == 0 ? null : rows.iterator().next().getString(0));
  }

  /** False if the hash is taken. */
  Future<Boolean> add(Link link) {
    return query(
            "insert into links (hash, url) values ($1, $2) on conflict do nothing",
            Tuple.of(link.hash(), link.url()))
        .map(rows -> rows.rowCount() == 1);
  }

  Future<?> ping() {
    return query("select 1", Tuple.tuple());
  }

  private Future<RowSet<Row>> query(String sql, Tuple values) {
    return client
        .preparedQuery(sql)
        .execute(values)
        .timeout(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
        .onComplete(done -> note(done.cause()));
  }

  /** Other failures are mistakes of ours. */
  static boolean isAway(Throwable failure) {
    if (failure instanceof PgException e) {
      return AWAY.matcher(e.getSqlState()).matches();
    }
    return failure instanceof VertxException
        || failure instanceof IOException
        || failure instanceof TimeoutException;
  }

  /** A line when the database goes, and one when it is back. */
  private static void note(Throwable failure) {
    boolean now = failure != null && isAway(failure);
    if (away != now) {
      away = now;
      LOG.log(Level.WARNING, now ? "the database is away: " + failure : "the database is back");
    }
  }
}
