package org.samewire.floor;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.net.URI;
import java.sql.SQLException;

/**
 * The TODO service's lookup over and over, pool as the servers have it, a thread for each query in
 * flight, as each request has one.
 */
final class Query {
  private static final int POOL = 10;
  private static final String LOOKUP = "select id, title, completed from todos where id = ?";

  private final Walk walk = new Walk();
  private final HikariDataSource database;

  private Query() throws Exception {
    URI url = URI.create(System.getenv("POSTGRES_URL"));
    var config = new HikariConfig();
    config.setJdbcUrl("jdbc:postgresql://" + url.getHost() + ":" + url.getPort() + url.getPath());
    String[] user = url.getUserInfo().split(":", 2);
    config.setUsername(user[0]);
    config.setPassword(user.length > 1 ? user[1] : null);
    config.setMaximumPoolSize(POOL);
    // So long the servers wait for a busy pool; their 1.5 s are for a database that is away.
    config.setConnectionTimeout(5_000);
    config.setValidationTimeout(1_000);
    config.addDataSourceProperty("connectTimeout", "5");
    config.addDataSourceProperty("loginTimeout", "5");
    config.addDataSourceProperty("socketTimeout", "5");
    config.addDataSourceProperty("tcpKeepAlive", "true");
    database = new HikariDataSource(config);
    for (int number = 0; number < walk.inFlight; number++) {
      int first = walk.start(number);
      var thread = new Thread(() -> ask(first));
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void ask(int first) {
    try {
      for (int key = first; ; key = (key + 1) % walk.keys.size()) {
        try (var connection = database.getConnection();
            var statement = connection.prepareStatement(LOOKUP)) {
          statement.setLong(1, Long.parseLong(walk.keys.get(key)));
          try (var rows = statement.executeQuery()) {
            rows.next();
            rows.getLong(1);
            rows.getString(2);
            rows.getBoolean(3);
          }
          walk.queries.incrementAndGet();
        }
      }
    } catch (SQLException e) {
      System.err.println(e);
      System.exit(1);
    }
  }

  public static void main(String[] args) throws Exception {
    new Query().walk.measure();
  }
}
