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
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The table of links, for one event loop: every answer arrives on the loop that asked. */
final class Links {
  private static final System.Logger LOG = System.getLogger("shortener");

  private static final String FIND = "select url from links where hash = $1";
  private static final String ADD =
      "insert into links (hash, url) values ($1, $2) on conflict do nothing";
  private static final String PING = "select 1";

  /** For everything; long, because a busy machine or database is slow without being away. */
  private static final int TIMEOUT_MILLIS = 5_000;

  /**
   * Classes of SQLSTATE in which PostgreSQL itself says that it cannot serve at present: connection
   * lost or refused, no such database or user yet, out of resources, shutting down or cancelled.
   */
  private static final Set<String> AWAY = Set.of("08", "28", "3D", "53", "57", "58");

  private final SqlClient client;
  private boolean away;

  Links(Vertx vertx, PgConnectOptions database) {
    client = pool(vertx, database);
  }

  // #region database.pool
  /** Connections belong to the loop that first needs them, and queries are pipelined on them. */
  private static SqlClient pool(Vertx vertx, PgConnectOptions database) {
    return PgBuilder.client()
        .with(new PoolOptions().setMaxSize(4).setMaxWaitQueueSize(1_024))
        .with(
            new NetClientOptions()
                .setConnectTimeout(TIMEOUT_MILLIS)
                .setTcpKeepAlive(true)
                .setTcpUserTimeout(5_000))
        .connectingTo(
            new PgConnectOptions(database)
                .setCachePreparedStatements(true)
                .setPipeliningLimit(8)
                .addProperty("statement_timeout", String.valueOf(TIMEOUT_MILLIS)))
        .using(vertx)
        .build();
  }

  // #endregion database.pool

  /** Makes the first connection, before clients come. */
  Future<?> connect() {
    return client.query(PING).execute().timeout(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** The URL of a hash, or null. */
  Future<String> find(String hash) {
    return query(FIND, Tuple.of(hash))
        .map(rows -> rows.size() == 0 ? null : rows.iterator().next().getString(0));
  }

  /** False if the hash is taken. */
  Future<Boolean> add(String hash, String url) {
    return query(ADD, Tuple.of(hash, url)).map(rows -> rows.rowCount() == 1);
  }

  Future<Void> ping() {
    return query(PING, Tuple.tuple()).mapEmpty();
  }

  static boolean isAway(Throwable failure) {
    if (failure instanceof PgException e) {
      return AWAY.stream().anyMatch(String.valueOf(e.getSqlState())::startsWith);
    }
    return failure instanceof IOException
        || failure instanceof TimeoutException
        || failure instanceof VertxException;
  }

  private Future<RowSet<Row>> query(String sql, Tuple values) {
    return client
        .preparedQuery(sql)
        .execute(values)
        .timeout(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
        .onComplete(rows -> report(rows.cause()));
  }

  /** One line when the database goes, one when it is back: not one per request. */
  private void report(Throwable failure) {
    boolean awayNow = failure != null && isAway(failure);
    if (awayNow != away) {
      away = awayNow;
      LOG.log(Level.WARNING, away ? "database away: " + failure : "database answers again");
    }
  }
}
