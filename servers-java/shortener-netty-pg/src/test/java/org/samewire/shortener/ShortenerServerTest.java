package org.samewire.shortener;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole server, with a table of links that answers when the test says so. */
@Timeout(20)
class ShortenerServerTest {
  private final CountDownLatch asked = new CountDownLatch(1);
  private final Promise<String> row = Promise.promise();
  private final Links links =
      new Links(null, false) {
        @Override
        Future<String> find(String hash) {
          asked.countDown();
          return hash.equals("dktPz4") ? row.future() : Future.succeededFuture();
        }

        @Override
        Future<Boolean> add(Link link) {
          return Future.succeededFuture(true);
        }
      };
  private ShortenerServer server;
  private Socket client;

  @BeforeEach
  void start() throws IOException {
    int port;
    try (var probe = new ServerSocket(0)) {
      port = probe.getLocalPort();
    }
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    server = new ShortenerServer(address, vertx -> links);
    client = new Socket(address.getAddress(), port);
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    server.stop();
  }

  @Test
  void pipelinedRequestsAreAnsweredInOrder() throws Exception {
    send(get("/dktPz4") + get("/nobody").repeat(200) + "no HTTP\r\n\r\n");
    asked.await();
    row.complete("http://a.example/");
    String answers = received();
    assertTrue(answers.startsWith("HTTP/1.1 301"), answers);
    assertTrue(answers.contains("location: http://a.example/\r\n"), answers);
    assertEquals(200, answers.split("HTTP/1.1 404", -1).length - 1);
    assertTrue(answers.lastIndexOf("HTTP/1.1 400") > answers.lastIndexOf("HTTP/1.1 404"), answers);
  }

  @Test
  void requestInFlightIsAnsweredWhenTheServerStops() throws Exception {
    send(get("/dktPz4"));
    asked.await();
    var stopping = new Thread(server::stop);
    stopping.start();
    while (canConnect()) {
      Thread.sleep(10);
    }
    row.complete(null);
    assertTrue(received().startsWith("HTTP/1.1 404"));
    client.close();
    stopping.join();
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "Content-Length: 1\r\nTransfer-Encoding: nonsense"})
  void whatIsNoHttpEndsTheConnection(String field) throws Exception {
    send("GET / HTTP/1.1\r\nHost: a\r\n" + field + "\r\n\r\n");
    assertTrue(received().startsWith("HTTP/1.1 400"));
  }

  @Test
  void bodyThatIsTooLargeIsReadPast() throws Exception {
    send(
        "POST /links HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"
            + "x".repeat(1_000_000));
    assertTrue(received().startsWith("HTTP/1.1 413"));
  }

  @Test
  void linkIsMade() throws Exception {
    String json = "{\"url\":\"http://a.example/\"}";
    send(
        "POST /links HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
            + "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(json.length(), json));
    String answer = received();
    assertTrue(answer.startsWith("HTTP/1.1 201"), answer);
    assertTrue(answer.contains("\"url\":\"http://a.example/\"}"), answer);
  }

  private static String get(String path) {
    return "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n";
  }

  private void send(String text) throws IOException {
    client.getOutputStream().write(text.getBytes(US_ASCII));
  }

  /** All until the server ends the connection. */
  private String received() throws IOException {
    return new String(client.getInputStream().readAllBytes(), US_ASCII);
  }

  private boolean canConnect() {
    try (var another = new Socket(client.getInetAddress(), client.getPort())) {
      return another.isConnected();
    } catch (IOException e) {
      return false;
    }
  }
}
