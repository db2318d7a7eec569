package org.samewire.shortener;

import io.netty.channel.Channel;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.DateFormatter;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The connections of one event loop, and what each may do before its requests reach the routes. */
final class Connections implements Handler<HttpServerRequest> {
  /** From one head to the next, and so for a whole request. */
  private static final int REQUEST_SECONDS = 60;

  /** Vert.x keeps all requests of one read in memory, until they have their turn. */
  private static final RecvByteBufAllocator READS =
      new FixedRecvByteBufAllocator(1024).maxMessagesPerRead(1);

  /** Of the answers that a client does not read: above it, its next request waits. */
  private static final WriteBufferWaterMark UNREAD = new WriteBufferWaterMark(8 * 1024, 16 * 1024);

  private final int max;
  private final Handler<HttpServerRequest> routes;

  /** With the second of its last head, or of its beginning. */
  private final Map<HttpConnection, Long> heads = new HashMap<>();

  private long second;
  private CharSequence date;

  Connections(int max, Handler<HttpServerRequest> routes) {
    this.max = max;
    this.routes = routes;
    tick();
  }

  void add(HttpConnection connection) {
    if (heads.size() >= max) {
      connection.close();
      return;
    }
    // Vert.x has no options for these.
    Channel channel = ((ConnectionBase) connection).channel();
    channel.config().setRecvByteBufAllocator(READS).setWriteBufferWaterMark(UNREAD);
    channel.pipeline().addBefore("handler", null, ClientHandler.INSTANCE);
    heads.put(connection, second);
    connection.closeHandler(closed -> heads.remove(connection));
  }

  /** To be called once a second. Ends what is slow; a Date is not made for each answer. */
  void tick() {
    second++;
    date = HttpHeaders.createOptimized(DateFormatter.format(new Date()));
    heads
        .entrySet()
        .removeIf(
            entry -> {
              boolean late = second - entry.getValue() > REQUEST_SECONDS;
              if (late) {
                entry.getKey().close();
              }
              return late;
            });
  }

  @Override
  public void handle(HttpServerRequest request) {
    HttpConnection connection = request.connection();
    if (heads.replace(connection, second) == null) {
      // It is being closed.
      return;
    }
    HttpServerResponse response = request.response();
    response.putHeader(HttpHeaders.DATE, date);
    if (!isSound(request)) {
      response.setStatusCode(400).end();
      heads.remove(connection);
      connection.close();
    } else if (response.writeQueueFull()) {
      // A client that does not take its answers gets no more of them.
      request.pause();
      response.drainHandler(
          drained -> {
            routes.handle(request);
            request.resume();
          });
    } else {
      routes.handle(request);
    }
  }

  /** Whether a proxy in front reads the head in the same way. */
  private static boolean isSound(HttpServerRequest request) {
    List<String> codings = request.headers().getAll(HttpHeaders.TRANSFER_ENCODING);
    return request.headers().getAll(HttpHeaders.HOST).size() < 2
        // Nobody undoes another coding.
        && (codings.isEmpty() || codings.size() == 1 && codings.get(0).equalsIgnoreCase("chunked"));
  }
}
