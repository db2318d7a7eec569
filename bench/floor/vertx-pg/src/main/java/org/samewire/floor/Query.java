package org.samewire.floor;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.transport.Transport;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.concurrent.TimeUnit;

/** The shortener's lookup over and over, pool and pipelining as the servers have them, one loop. */
final class Query {
  private static final String LOOKUP = "select url from links where hash = $1";
  private static final int TIMEOUT_MILLIS = 5_000;

  private final Walk walk = new Walk();
  private final SqlClient client;

  private Query() throws Exception {
    Vertx vertx =
        Vertx.builder()
            .with(new VertxOptions().setEventLoopPoolSize(1))
            .withTransport(Transport.EPOLL)
            .build();
    client =
        PgBuilder.client()
            .with(new PoolOptions().setMaxSize(4).setMaxWaitQueueSize(1_024))
            .with(
                new NetClientOptions()
                    .setConnectTimeout(TIMEOUT_MILLIS)
                    .setTcpKeepAlive(true)
                    .setTcpUserTimeout(TIMEOUT_MILLIS))
            .connectingTo(
                PgConnectOptions.fromUri(System.getenv("POSTGRES_URL"))
                    .setCachePreparedStatements(true)
                    .setPipeliningLimit(8)
                    .addProperty("statement_timeout", String.valueOf(TIMEOUT_MILLIS)))
            .using(vertx)
            .build();
    // The first connection, as the servers make it; queries that come at once would open four.
    vertx.runOnContext(
        ignored -> client.query("select 1").execute().onComplete(connected -> start()));
  }

  private void start() {
    for (int number = 0; number < walk.inFlight; number++) {
      ask(walk.start(number));
    }
  }

  private void ask(int key) {
    client
        .preparedQuery(LOOKUP)
        .execute(Tuple.of(walk.keys.get(key)))
        .timeout(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
        .onComplete(
            rows -> {
              if (rows.failed() || rows.result().size() != 1) {
                System.err.println("no row for " + walk.keys.get(key) + ": " + rows.cause());
                System.exit(1);
              }
              walk.queries.incrementAndGet();
              ask((key + 1) % walk.keys.size());
            });
  }

  public static void main(String[] args) throws Exception {
    new Query().walk.measure();
  }
}
