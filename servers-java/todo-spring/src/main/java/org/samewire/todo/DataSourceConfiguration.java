package org.samewire.todo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
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
    // A request waits so long for a connection, also for one that is still being made.
    pool.setConnectionTimeout(1_000);
    pool.setValidationTimeout(500);
    // The server starts without its database, too.
    pool.setInitializationFailTimeout(-1);
    // Of the driver, in seconds.
    pool.addDataSourceProperty("connectTimeout", "1");
    pool.addDataSourceProperty("loginTimeout", "1");
    pool.addDataSourceProperty("socketTimeout", "2");
    pool.addDataSourceProperty("tcpKeepAlive", "true");
    return new HikariDataSource(pool);
  }
  // #endregion database.pool
}
