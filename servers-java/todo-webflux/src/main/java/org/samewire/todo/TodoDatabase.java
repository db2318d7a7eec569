package org.samewire.todo;

import static io.r2dbc.spi.ConnectionFactoryOptions.CONNECT_TIMEOUT;
import static io.r2dbc.spi.ConnectionFactoryOptions.STATEMENT_TIMEOUT;

import io.r2dbc.pool.ConnectionPool;
import io.r2dbc.pool.ConnectionPoolConfiguration;
import io.r2dbc.postgresql.PostgresqlConnectionFactoryProvider;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.R2dbcTimeoutException;
import io.r2dbc.spi.Result;
import io.r2dbc.spi.ValidationDepth;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.r2dbc.core.StatementFilterFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.pool.PooledRefMetadata;

/** The connections to PostgreSQL, and the time that they have. */
@Configuration(proxyBeanMethods = false)
class TodoDatabase {
  private static final int CONNECTIONS = 10;

  /** Statements that wait for a connection. More are answered with 503 at once. */
  private static final int WAITING = 2_000;

  /** When a statement last got no answer at all, in milliseconds: older connections are lost. */
  private volatile long silence;

  // #region database.pool
  @Bean(destroyMethod = "dispose")
  ConnectionPool connectionPool(TodoProperties properties) {
    ConnectionFactory postgresql =
        ConnectionFactories.get(
            properties
                .database()
                .mutate()
                .option(CONNECT_TIMEOUT, Duration.ofSeconds(3))
                // PostgreSQL itself gives up a statement: one that is answered with 503 has changed
                // nothing.
                .option(STATEMENT_TIMEOUT, Duration.ofSeconds(3))
                .option(PostgresqlConnectionFactoryProvider.TCP_KEEPALIVE, true)
                .build());
    return new ConnectionPool(
        ConnectionPoolConfiguration.builder(postgresql)
            .initialSize(CONNECTIONS)
            .maxSize(CONNECTIONS)
            .maxCreateConnectionTime(Duration.ofSeconds(4))
            // To wait for a connection, whether all are busy or the database is away.
            .maxAcquireTime(Duration.ofSeconds(5))
            // Each retry would begin that time anew.
            .acquireRetry(0)
            .customizer(pool -> pool.maxPendingAcquire(WAITING).evictionPredicate(this::isLost))
            .build());
  }

  // #endregion database.pool

  /** Without this rule the pool hands out connections that PostgreSQL has closed. */
  private boolean isLost(Connection connection, PooledRefMetadata use) {
    Mono<Boolean> open = Mono.from(connection.validate(ValidationDepth.LOCAL));
    return use.allocationTimestamp() < silence || !open.toFuture().getNow(false);
  }

  /** The driver has no time-out for a database that does not even cancel a statement. */
  @Bean
  StatementFilterFunction timeLimit() {
    Mono<Result> noAnswer =
        Mono.error(
            () -> {
              silence = System.currentTimeMillis();
              return new R2dbcTimeoutException("no answer within 5 s");
            });
    return (statement, next) ->
        Flux.<Result>from(next.execute(statement)).timeout(Duration.ofSeconds(5), noAnswer);
  }
}
