package org.samewire.floor;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.net.URI;
import java.sql.SQLException;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** A todo as the database has it, by plain JDBC, the pool as the servers have it. */
@SpringBootApplication
class LookupServer {
  private static final String LOOKUP = "select id, title, completed from todos where id = ?";

  record Todo(long id, String title, boolean completed) {}

  @RestController
  static class TodoController {
    private final HikariDataSource database;

    TodoController(HikariDataSource database) {
      this.database = database;
    }

    @GetMapping("/todos/{id}")
    Todo lookup(@PathVariable long id) throws SQLException {
      try (var connection = database.getConnection();
          var statement = connection.prepareStatement(LOOKUP)) {
        statement.setLong(1, id);
        try (var rows = statement.executeQuery()) {
          rows.next();
          return new Todo(rows.getLong(1), rows.getString(2), rows.getBoolean(3));
        }
      }
    }
  }

  @Bean
  HikariDataSource database() {
    URI url = URI.create(System.getenv("POSTGRES_URL"));
    var pool = new HikariConfig();
    pool.setJdbcUrl("jdbc:postgresql://" + url.getHost() + ":" + url.getPort() + url.getPath());
    String[] user = url.getUserInfo().split(":", 2);
    pool.setUsername(user[0]);
    pool.setPassword(user.length > 1 ? user[1] : null);
    pool.setMaximumPoolSize(10);
    // So long the servers wait for a busy pool; their 1.5 s are for a database that is away.
    pool.setConnectionTimeout(5_000);
    pool.setValidationTimeout(1_000);
    pool.addDataSourceProperty("connectTimeout", "5");
    pool.addDataSourceProperty("loginTimeout", "5");
    pool.addDataSourceProperty("socketTimeout", "5");
    pool.addDataSourceProperty("tcpKeepAlive", "true");
    return new HikariDataSource(pool);
  }

  public static void main(String[] args) {
    SpringApplication.run(
        LookupServer.class,
        "--spring.main.banner-mode=off",
        "--server.address=" + System.getenv("HOST"),
        "--server.port=" + System.getenv("PORT"),
        "--server.tomcat.max-keep-alive-requests=-1",
        "--spring.jackson.mapper.sort-properties-alphabetically=false");
  }
}
