package org.samewire.shortener;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * What runs on one event loop: its share of the clients, and its own connections to PostgreSQL. All
 * verticles listen on the same port; Vert.x gives each new client to the next of them.
 */
final class ShortenerVerticle extends VerticleBase {
  private static final int MAX_LINE = 8 * 1024;
  private static final int MAX_HEAD = 8 * 1024;

  private static final int IDLE_SECONDS = 60;
  private static final int STOP_SECONDS = 8;

  private final HttpServerOptions options;
  private final int maxConnections;
  private final Function<Vertx, Links> newLinks;
  private HttpServer server;

  ShortenerVerticle(String host, int port, int maxConnections, Function<Vertx, Links> newLinks) {
    this.maxConnections = maxConnections;
    this.newLinks = newLinks;
    options =
        new HttpServerOptions()
            .setHost(host)
            .setPort(port)
            .setMaxInitialLineLength(MAX_LINE)
            .setMaxHeaderSize(MAX_HEAD)
            .setIdleTimeout(IDLE_SECONDS)
            .setHttp2ClearTextEnabled(false)
            // Without WebSockets: what Netty does for them ends a connection with more than 128
            // requests in a read.
            .setPerFrameWebSocketCompressionSupported(false)
            .setPerMessageWebSocketCompressionSupported(false);
  }

  @Override
  public Future<?> start() {
    var routes = new ShortenerRoutes(newLinks.apply(vertx)).router(vertx);
    var connections = new Connections(maxConnections, routes);
    vertx.setPeriodic(1_000, timer -> connections.tick());
    server =
        vertx
            .createHttpServer(options)
            .connectionHandler(connections::add)
            .requestHandler(connections);
    return server.listen();
  }

  // #region server.stop
  /** No new connections. Requests in flight are answered, for at most 8 s. */
  @Override
  public Future<?> stop() {
    return server.shutdown(STOP_SECONDS, TimeUnit.SECONDS);
  }

  // #endregion server.stop

  /** Where it listens, if its port is 0. */
  int port() {
    return server.actualPort();
  }
}
