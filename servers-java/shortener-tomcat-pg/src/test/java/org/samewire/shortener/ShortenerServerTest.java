package org.samewire.shortener;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole server, with a table of links in memory. */
@Timeout(20)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ShortenerServerTest {
  private static final String SLOW = "slow00";

  private final Map<String, String> table =
      new ConcurrentHashMap<>(Map.of("dktPz4", "http://a.example/?q#f", SLOW, "http://b.example"));
  private final AtomicInteger taken = new AtomicInteger();
  private volatile CountDownLatch asked;
  private volatile CountDownLatch answered;
  private volatile RuntimeException failure;
  private volatile String thread;

  private final Links links =
      new Links(null) {
        @Override
        String find(String hash) {
          ping();
          if (hash.equals(SLOW)) {
            asked.countDown();
            try {
              answered.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }
          return table.get(hash);
        }

        @Override
        boolean add(Link link) {
          ping();
          return taken.getAndDecrement() <= 0 && table.put(link.hash(), link.url()) == null;
        }

        @Override
        void ping() {
          thread = Thread.currentThread().getName();
          if (failure != null) {
            throw failure;
          }
        }
      };

  private final HttpClient client = HttpClient.newHttpClient();
  private ShortenerServer server;

  @BeforeAll
  void start() throws Exception {
    server = started(false);
  }

  private ShortenerServer started(boolean virtualThreads) throws Exception {
    var host = InetAddress.getLoopbackAddress();
    var started = new ShortenerServer(new Settings(host, 0, null, virtualThreads), links);
    started.start();
    return started;
  }

  @AfterAll
  void stop() {
    server.stop();
  }

  @BeforeEach
  void allIsWell() {
    failure = null;
    asked = new CountDownLatch(1);
    answered = new CountDownLatch(1);
  }

  @Test
  void lookup() throws Exception {
    var response = send(request("/dktPz4"));
    assertEquals(301, response.statusCode());
    assertEquals("http://a.example/?q#f", response.headers().firstValue("Location").orElse(""));
    for (String path : new String[] {"/nobody", "/", "/a/b", "/healthz/"}) {
      assertEquals(404, send(request(path)).statusCode(), path);
      assertEquals("", send(request(path)).body(), path);
    }
  }

  @Test
  void link() throws Exception {
    assertEquals(
        "{\"hash\":\"dktPz4\",\"url\":\"http://a.example/?q#f\"}",
        send(request("/links/dktPz4")).body());
    for (String path : new String[] {"/links/nobody", "/links/", "/WEB-INF/problem"}) {
      problem(404, send(request(path)));
    }
  }

  @Test
  void linkIsMade() throws Exception {
    taken.set(2);
    var created = post("{\"url\":\"http://c.example/\"}");
    assertEquals(201, created.statusCode());
    String location = created.headers().firstValue("Location").orElse("");
    assertTrue(location.matches("/[0-9A-Za-z]{6}"), location);
    assertEquals("http://c.example/", table.get(location.substring(1)));
  }

  @Test
  void refusals() throws Exception {
    problem(400, post("{\"url\":\"/a\"}"));
    problem(413, post("{\"url\":\"http://a.example/\"}" + " ".repeat(8_192)));
    problem(415, send(request("/links").POST(BodyPublishers.ofString("{}"))));
    problem(405, send(request("/links")));
    problem(405, send(request("/dktPz4").DELETE()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/dktPz4", "/links/dktPz4", "/healthz"})
  void databaseAwayAndFaultOfOurs(String path) throws Exception {
    assertTrue(send(request(path)).statusCode() < 400);
    failure = new Links.DatabaseAwayException(null);
    problem(503, send(request(path)));
    failure = new IllegalStateException("secret");
    var response = send(request(path));
    problem(500, response);
    assertTrue(!response.body().contains("secret"), response.body());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void requestInFlightIsAnsweredWhenTheServerStops(boolean virtualThreads) throws Exception {
    assumeTrue(!virtualThreads || Runtime.version().feature() >= 21);
    ShortenerServer another = started(virtualThreads);
    int port = another.port();
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write(get(SLOW));
      asked.await();
      var stopping = new Thread(another::stop);
      stopping.start();
      while (canConnect(port)) {
        Thread.sleep(10);
      }
      assertTrue(stopping.isAlive());
      answered.countDown();
      var answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
      assertEquals("HTTP/1.1 301 ", answers.readLine());
      stopping.join();
      // The process would end now. As it does not, the next answer ends the connection.
      socket.getOutputStream().write(get("dktPz4"));
      assertTrue(answers.lines().anyMatch("Connection: close"::equals));
    }
    assertEquals(virtualThreads, thread.contains("-virt-"), thread);
  }

  private static byte[] get(String hash) {
    return "GET /%s HTTP/1.1\r\nHost: a\r\n\r\n".formatted(hash).getBytes(US_ASCII);
  }

  private static boolean canConnect(int port) {
    try (var another = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return another.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private HttpResponse<String> post(String json) throws Exception {
    return send(
        request("/links")
            .header("Content-Type", "application/json; charset=utf-8")
            .POST(BodyPublishers.ofString(json)));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private static void problem(int status, HttpResponse<String> response) {
    assertEquals(status, response.statusCode(), response.body());
    assertEquals(
        "application/problem+json", response.headers().firstValue("Content-Type").orElse(""));
    assertTrue(response.body().contains("\"status\":" + status), response.body());
  }
}
