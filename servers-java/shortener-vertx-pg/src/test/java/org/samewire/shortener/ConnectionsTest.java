package org.samewire.shortener;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
@Timeout(20)
class ConnectionsTest {
  private static final InetAddress HOST = InetAddress.getLoopbackAddress();
  private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

  private Connections connections;

  @Test
  void headThatIsNotWholeInTimeEndsItsConnection(Vertx vertx) throws Exception {
    int port =
        listen(
            vertx,
            request -> {
              for (int second = 0; second <= 60; second++) {
                connections.tick();
              }
              request.response().end();
            });
    try (var slow = new Socket(HOST, port);
        var other = new Socket(HOST, port)) {
      send(slow, "GET / HT");
      send(other, GET);
      assertEquals(-1, slow.getInputStream().read());
    }
  }

  @Test
  void clientThatDoesNotReadGetsNoMoreAnswers(Vertx vertx) throws Exception {
    int requests = 30_000;
    var answered = new AtomicInteger();
    String body = "x".repeat(1_000);
    int port =
        listen(
            vertx,
            request -> {
              answered.incrementAndGet();
              request.response().end(body);
            });
    try (var client = new Socket()) {
      client.setReceiveBufferSize(16 * 1024);
      client.connect(new InetSocketAddress(HOST, port));
      var sending = new Thread(() -> send(client, GET.repeat(requests)));
      sending.start();
      int before;
      do {
        before = answered.get();
        Thread.sleep(500);
      } while (before == 0 || answered.get() > before);
      assertTrue(before < requests, before + " answers are kept for a client that reads none");
      InputStream answers = client.getInputStream();
      long bytes = 0;
      while (answered.get() < requests) {
        bytes += answers.skip(1_000);
      }
      assertTrue(bytes > body.length() * (long) before);
      sending.join();
    }
  }

  @Test
  void headOfManyFieldsIsRefused(Vertx vertx) throws Exception {
    int port = listen(vertx, request -> request.response().end());
    assertStatus(200, port, "a:\r\n".repeat(199));
    assertStatus(431, port, "a:\r\n".repeat(200));
  }

  @Test
  void versionIsTheServersOwn(Vertx vertx) throws Exception {
    int port = listen(vertx, request -> request.response().end());
    try (var client = new Socket(HOST, port)) {
      send(client, "GET / HTTP/1.0\r\n\r\n");
      assertTrue(received(client).startsWith("HTTP/1.1 200 OK"));
    }
  }

  private int listen(Vertx vertx, Handler<HttpServerRequest> routes) {
    var options = new HttpServerOptions().setHost(HOST.getHostAddress()).setPort(0);
    connections = new Connections(options, 2, routes);
    HttpServer server =
        vertx
            .createHttpServer(options)
            .connectionHandler(connections::add)
            .requestHandler(connections);
    return server.listen().await().actualPort();
  }

  private static void assertStatus(int status, int port, String fields) throws Exception {
    try (var client = new Socket(HOST, port)) {
      send(client, "GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n");
      client.shutdownOutput();
      assertTrue(received(client).contains(" " + status + " "));
    }
  }

  private static String received(Socket client) throws Exception {
    return new String(client.getInputStream().readAllBytes(), US_ASCII);
  }

  private static void send(Socket client, String text) {
    try {
      client.getOutputStream().write(text.getBytes(US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
