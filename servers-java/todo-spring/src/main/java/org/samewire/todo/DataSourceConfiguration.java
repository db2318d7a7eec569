package org.samewire.todo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The pool of database connections. */
@Configuration(proxyBeanMethods = false)
class DataSourceConfiguration {

  // #region database.pool
  @Bean
  HikariDataSource dataSource(Settings settings) {
    Settings.Database database = settings.database();
    var pool = new HikariConfig();
    pool.setPoolName("todos");
    pool.setJdbcUrl(database.jdbcUrl());
    pool.setUsername(database.user());
    pool.setPassword(database.password());
    pool.setMaximumPoolSize(10);
    // A request waits so long for a database that is away: it has to be answered within two
    // seconds.
    pool.setConnectionTimeout(1_500);
    pool.setValidationTimeout(1_000);
    // The server starts without its database, too.
    pool.setInitializationFailTimeout(-1);
    // Of the driver, in seconds. A database that is away refuses or closes connections: these are
    // for one that is slow.
    pool.addDataSourceProperty("connectTimeout", "5");
    pool.addDataSourceProperty("loginTimeout", "5");
    pool.addDataSourceProperty("socketTimeout", "5");
    pool.addDataSourceProperty("tcpKeepAlive", "true");
    return new PatientWhileBusy(pool);
  }

  /** Hikari has one time-out for a pool that is busy and for a database that is away. */
  private static class PatientWhileBusy extends HikariDataSource {
    private static final Duration BUSY = Duration.ofSeconds(5);

    PatientWhileBusy(HikariConfig pool) {
      super(pool);
    }

    @Override
    public Connection getConnection() throws SQLException {
      long start = System.nanoTime();
      while (true) {
        try {
          return super.getConnection();
        } catch (SQLTransientConnectionException timedOut) {
          // The connections of a database that is away are closed, and leave the pool.
          boolean busy = getHikariPoolMXBean().getTotalConnections() > 0;
          if (!busy || System.nanoTime() - start > BUSY.toNanos()) {
            throw timedOut;
          }
        }
      }
    }
  }
  // #endregion database.pool
}
