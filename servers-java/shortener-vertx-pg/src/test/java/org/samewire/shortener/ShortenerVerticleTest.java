package org.samewire.shortener;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole server, with a table of links that answers when the test says so. */
@ExtendWith(VertxExtension.class)
@Timeout(20)
class ShortenerVerticleTest {
  private static final InetAddress HOST = InetAddress.getLoopbackAddress();

  private final CountDownLatch asked = new CountDownLatch(1);
  private final Promise<String> row = Promise.promise();
  private final Links links =
      new Links(null) {
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
  private final ShortenerVerticle verticle =
      new ShortenerVerticle(HOST.getHostAddress(), 0, 2, vertx -> links);
  private Socket client;

  @BeforeEach
  void start(Vertx vertx) throws IOException {
    vertx.deployVerticle(verticle).await();
    client = new Socket(HOST, verticle.port());
  }

  @AfterEach
  void leave() throws IOException {
    client.close();
  }

  @Test
  void pipelinedRequestsAreAnsweredInOrder() throws Exception {
    send(get("/dktPz4") + get("/nobody").repeat(200) + "no HTTP\r\n\r\n");
    asked.await();
    row.complete("http://a.example/");
    String answers = received();
    assertTrue(answers.startsWith("HTTP/1.1 301"), answers);
    assertTrue(answers.contains("\r\nlocation: http://a.example/\r\n"), answers);
    assertEquals(200, answers.split("HTTP/1.1 404", -1).length - 1);
    assertTrue(
        answers.lastIndexOf("400 Bad Request") > answers.lastIndexOf("404 Not Found"), answers);
  }

  @Test
  void requestInFlightIsAnsweredWhenTheServerStops(Vertx vertx) throws Exception {
    send(get("/dktPz4"));
    asked.await();
    Future<Void> stopped = vertx.close();
    while (canConnect()) {
      Thread.sleep(10);
    }
    row.complete(null);
    assertTrue(received().startsWith("HTTP/1.1 404"));
    stopped.await();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "Host: b",
        "Content-Length: 1\r\nTransfer-Encoding: nonsense",
        "Transfer-Encoding: gzip, chunked"
      })
  void whatIsNoSoundHeadEndsTheConnection(String field) throws Exception {
    send("GET / HTTP/1.1\r\nHost: a\r\n" + field + "\r\n\r\n");
    String answer = received();
    assertTrue(answer.startsWith("HTTP/1.1 400") || answer.startsWith("HTTP/1.0 400"), answer);
  }

  @Test
  void requestsAfterAnUnsoundHeadAreNotServed() throws Exception {
    send("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + get("/nobody"));
    received();
    assertEquals(1, asked.getCount());
  }

  @Test
  void bodyThatIsTooLargeIsReadPast() throws Exception {
    send(
        "POST /links HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            + "Content-Length: 1000000\r\n\r\n"
            + "x".repeat(1_000_000)
            + "no HTTP\r\n\r\n");
    String answers = received();
    assertTrue(answers.startsWith("HTTP/1.1 413"), answers);
    assertTrue(answers.contains("400 Bad Request"), answers);
  }

  @Test
  void linkIsMade() throws Exception {
    String answer = post("{\"url\":\"http://a.example/\"}", "application/json; charset=utf-8");
    assertTrue(answer.startsWith("HTTP/1.1 201"), answer);
    assertTrue(answer.contains("\r\nlocation: /"), answer);
    assertTrue(answer.contains("\"url\":\"http://a.example/\"}"), answer);
  }

  @Test
  void longestUrl() throws Exception {
    String url = "http://a.example/" + "a".repeat(2048 - "http://a.example/".length());
    String most = post("{\"url\":\"" + url + "\"}", "application/json");
    assertTrue(most.startsWith("HTTP/1.1 201"), most);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://a.example/?q#f", "HTTPS://a.example:8443", "http://1.2.3.4"})
  void urlsToRedirectTo(String url) throws Exception {
    String answer = post("{\"url\":\"" + url + "\"}", "application/json");
    assertTrue(answer.startsWith("HTTP/1.1 201"), answer);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "{",
        "{}",
        "{\"url\":null}",
        "{\"url\":5}",
        "{\"url\":\"ftp://a.example\"}",
        "{\"url\":\"/a\"}",
        "{\"url\":\" http://a.example/\"}",
        "{\"url\":\"http://a.example/\\r\\nX: y\"}",
        "{\"url\":\"http://a.example/\\r\\n\"}",
        "{\"url\":\"http://a.example/\\u00e9\"}",
        "{\"url\":\"http://a.example/\\ud800\"}",
        "{\"url\":\"http://a.example/\"} {}",
        "{\"url\":\"http://a.example/\"} // a comment",
        "{\"url\":\"http://a.example/\",\"more\":1}"
      })
  void bodiesThatAreRefused(String json) throws Exception {
    String answer = post(json, "application/json");
    assertTrue(answer.startsWith("HTTP/1.1 400"), answer);
    assertTrue(answer.contains("application/problem+json"), answer);
  }

  @Test
  void otherMediaTypes() throws Exception {
    String answer = post("{\"url\":\"http://a.example/\"}", "text/plain");
    assertTrue(answer.startsWith("HTTP/1.1 415"), answer);
    assertTrue(answer.contains("application/problem+json"), answer);
  }

  @Test
  void moreConnectionsThanTheMostAreClosed() throws Exception {
    try (var second = new Socket(HOST, verticle.port());
        var third = new Socket(HOST, verticle.port())) {
      assertEquals(-1, third.getInputStream().read());
      second.getOutputStream().write(get("/nobody").getBytes(US_ASCII));
      assertEquals('H', second.getInputStream().read());
    }
  }

  private static String get(String path) {
    return "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n";
  }

  private String post(String json, String type) throws IOException {
    send(
        "POST /links HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: %s\r\n"
                .formatted(type)
            + "Content-Length: %d\r\n\r\n%s".formatted(json.length(), json));
    return received();
  }

  private void send(String text) throws IOException {
    client.getOutputStream().write(text.getBytes(US_ASCII));
  }

  /** All until the server ends the connection. */
  private String received() throws IOException {
    return new String(client.getInputStream().readAllBytes(), US_ASCII);
  }

  private boolean canConnect() {
    try (var another = new Socket(HOST, client.getPort())) {
      return another.isConnected();
    } catch (IOException e) {
      return false;
    }
  }
}
