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
    // A request waits so long for a connection. Hikari does not tell a pool that is busy from a
    // database that is away, and that has to be answered within two seconds.
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
    return new HikariDataSource(pool);
  }
  // #endregion database.pool
}
