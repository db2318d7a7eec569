package org.samewire.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.hyperfoil.http.api.HttpMethod;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.samewire.load.Main.InputException;
import org.samewire.load.Main.Run;
import org.samewire.load.Prober.Probe;
import org.samewire.load.Scenario.Exchange;

class MainTest {
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final LongAdder answered = new LongAdder();
  private final Map<InetSocketAddress, String> firstPaths = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<String> paths = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<String> requests = new ConcurrentLinkedQueue<>();
  private final AtomicInteger made = new AtomicInteger();
  private HttpServer server;
  private URI url;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
    url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  @AfterEach
  void stop() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    paths.add(path);
    firstPaths.putIfAbsent(exchange.getRemoteAddress(), path);
    String type = exchange.getRequestHeaders().getFirst("Content-Type");
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    requests.add("%s %s %s %s".formatted(exchange.getRequestMethod(), path, type, body));
    switch (path) {
      case "/closed" -> exchange.close();
      case "/hanging" -> sleep(60_000);
      case "/healthy" -> exchange.sendResponseHeaders(200, -1);
      case "/slow" -> {
        sleep(200);
        exchange.sendResponseHeaders(200, -1);
      }
      case "/broken" -> exchange.sendResponseHeaders(500, -1);
      case "/last" -> {
        exchange.getResponseHeaders().set("Connection", "close");
        exchange.sendResponseHeaders(301, -1);
      }
      case "/unknown" -> exchange.sendResponseHeaders(404, -1);
      case "/made" -> {
        exchange.getResponseHeaders().set("Location", "/made/" + made.incrementAndGet());
        exchange.sendResponseHeaders(201, -1);
      }
      default -> {
        sleep(20);
        exchange.sendResponseHeaders(301, -1);
      }
    }
    answered.increment();
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** How many were answered; the last is counted a little after its client has the answer. */
  private long answered(long expected) {
    for (int look = 0; look < 100 && answered.sum() < expected; look++) {
      sleep(10);
    }
    return answered.sum();
  }

  private JsonNode load(Scenario scenario) throws Exception {
    return load(scenario, 0);
  }

  private JsonNode load(Scenario scenario, double ratePerSecond) throws Exception {
    return new ObjectMapper().valueToTree(new Main().load(scenario, ratePerSecond, url));
  }

  private static Histogram decode(JsonNode stage) throws Exception {
    byte[] bytes = Base64.getDecoder().decode(stage.get("hdr").textValue());
    return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 0);
  }

  @Test
  void countsEveryAnswerAndItsLatency() throws Exception {
    List<Exchange> list = List.of(new Exchange("/known", 301), new Exchange("/unknown", 404));
    JsonNode result = load(new Scenario(0, 0.4, 1, 0.4, 2, List.of(list, list, list, list)));

    long requests = 0;
    for (JsonNode stage : result.get("stages")) {
      requests += stage.get("requests").longValue();
      stage.get("errors").forEach(count -> assertEquals(0, count.longValue()));
    }
    assertEquals(answered(requests), requests);
    assertEquals(0, result.get("users_lost").intValue());
    assertEquals(4, result.get("users_in_hold").intValue());
    assertEquals(1, result.get("series").size());
    assertEquals(4, result.get("series").get(0).get("users").intValue());
    assertEquals(4, firstPaths.size(), "each user keeps its connection");

    JsonNode hold = result.get("stages").get("hold");
    Histogram latency = decode(hold);
    assertEquals(hold.get("requests").longValue(), latency.getTotalCount());
    // However slow the machine is: half of the answers take the server 20 ms, and none of the four
    // users waits for two answers at once.
    double slower = latency.getValueAtPercentile(75);
    double waited = latency.getMean() * latency.getTotalCount();
    double longest = latency.getMaxValue();
    assertTrue(slower >= 19.9e6, slower + " ns");
    assertTrue(waited <= 4 * (1.01e9 + 2 * longest), waited + " ns, " + longest + " at the most");
    assertEquals(1.0, hold.get("duration_s").doubleValue(), 1e-6);
    assertTrue(hold.get("generator_cpu_s").doubleValue() > 0);
    assertTrue(hold.get("bytes_in").longValue() > 0);
  }

  @Test
  void discardsTheWarmUp() throws Exception {
    JsonNode result =
        load(new Scenario(0.5, 0, 0.5, 0, 2, List.of(List.of(new Exchange("/known", 301)))));

    long requests = result.get("stages").get("hold").get("requests").longValue();
    assertTrue(requests > 0 && requests < answered.sum(), requests + " of " + answered);
    // At 20 ms for each, no more than 25 fit into the half second, however fast the machine is.
    assertTrue(requests <= 30, requests + " of " + answered);
  }

  @Test
  void usersWhoLeaveAfterTheirRequestsSendNoneMoreAndNoneLess() throws Exception {
    List<Exchange> list = List.of(new Exchange("/known", 301), new Exchange("/unknown", 404));
    JsonNode result =
        load(new Scenario(0, 0.3, 0, 0, 2, List.of(list, list, list), 0, null, 5, null, 0));

    assertEquals(15, answered(15));
    JsonNode hold = result.get("stages").get("hold");
    assertEquals(15, hold.get("requests").longValue());
    assertEquals(15, decode(hold).getTotalCount());
    assertEquals(0, result.get("stages").get("ramp_up").get("requests").longValue());
    assertEquals(3, result.get("users_in_hold").intValue());
    assertEquals(0, result.get("users_lost").intValue());
    // The last user comes after 0.2 s and waits three times for 20 ms.
    double seconds = hold.get("duration_s").doubleValue();
    assertTrue(seconds >= 0.2599 && seconds < 2, seconds + " s");
  }

  @Test
  void usersSendInTurnAtARate() throws Exception {
    List<Exchange> list = List.of(new Exchange("/known", 301));
    JsonNode result = load(new Scenario(0, 0.5, 1, 0.5, 2, Collections.nCopies(10, list)), 50);

    assertEquals(100, answered(100));
    assertEquals(0, result.get("not_sent").longValue());
    JsonNode hold = result.get("stages").get("hold");
    assertEquals(50, hold.get("requests").longValue(), 2);
    assertTrue(decode(hold).getMinValue() >= 19.9e6);
  }

  @Test
  void aLatencyRunsFromWhenTheRequestWasDue() throws Exception {
    // One user, whom the server gives at most 50 answers a second, is to send 100.
    List<Exchange> list = List.of(new Exchange("/known", 301));
    JsonNode result = load(new Scenario(0, 0, 1, 0, 2, List.of(list)), 100);

    Histogram latency = decode(result.get("stages").get("hold"));
    long sent = answered.sum();
    assertTrue(sent <= 51, sent + " requests");
    assertEquals(100 - sent, result.get("not_sent").longValue());
    // The k-th is due after k · 10 ms and answered after (k + 1) · 20 ms, or later.
    double longest = latency.getMaxValue();
    assertTrue(longest >= (latency.getTotalCount() - 1) * 9.9e6, longest + " ns");
  }

  private JsonNode probe(String path) throws Exception {
    List<List<Exchange>> lists = List.of(List.of(new Exchange("/known", 301)));
    Probe probe = new Probe(path, 50);
    JsonNode result = load(new Scenario(0, 0.5, 1, 0, 0.3, lists, 0, null, 0, probe, 0));
    result.get("stages").get("hold").get("errors").forEach(count -> assertEquals(0, count.asInt()));
    return result.get("probe");
  }

  @Test
  void asksAPathAtARateBesideTheUsers() throws Exception {
    JsonNode probe = probe("/healthy");

    Histogram latency = decode(probe);
    long answered = probe.get("answered").longValue();
    assertEquals(20, answered + probe.get("not_sent").longValue(), 1);
    assertEquals(answered + probe.get("not_sent").longValue(), latency.getTotalCount());
    assertTrue(answered >= 10, answered + " answered");
  }

  @Test
  void aProbeThatIsDueWhileAnotherWaitsEndsWithIt() throws Exception {
    JsonNode probe = probe("/slow");

    // An answer takes 200 ms, in which three or four more are due: they wait 150, 100 and 50 ms.
    Histogram latency = decode(probe);
    assertEquals(20, latency.getTotalCount(), 1);
    assertTrue(probe.get("answered").longValue() <= 6, probe.toString());
    assertTrue(probe.get("not_sent").longValue() >= 14, probe.toString());
    assertTrue(latency.getMaxValue() >= 199e6, latency.getMaxValue() + " ns");
    assertTrue(latency.getValueAtPercentile(50) >= 90e6, latency.getMean() + " ns");
  }

  @Test
  void errorsOfTheProbeAreItsOwn() throws Exception {
    for (String[] wrong :
        List.of(
            new String[] {"/broken", "status"},
            new String[] {"/closed", "connection"},
            new String[] {"/hanging", "timeout"})) {
      JsonNode probe = probe(wrong[0]);
      assertEquals(0, probe.get("answered").intValue(), wrong[0]);
      assertEquals(0, decode(probe).getTotalCount(), wrong[0]);
      assertTrue(probe.get("errors").get(wrong[1]).intValue() > 0, probe.toString());
    }
  }

  @Test
  void aLoadByRequestsIsNotFinishedWhereEveryUserGaveUp() throws Exception {
    server.stop(0);
    List<Exchange> list = List.of(new Exchange("/known", 301));
    JsonNode result = load(new Scenario(0, 0, 0, 0, 0.5, List.of(list, list), 0, null, 5, null, 0));

    assertEquals(2, result.get("users_lost").intValue());
    assertFalse(result.get("stages").has("ramp_down"));
  }

  @Test
  void everyUserWalksItsOwnListInOrder() throws Exception {
    List<Exchange> list =
        List.of(new Exchange("/a", 301), new Exchange("/b", 301), new Exchange("/c", 301));
    load(new Scenario(0, 0, 1, 0, 2, List.of(list)));

    String walked = String.join("", paths);
    assertTrue(walked.startsWith("/a/b/c/a/b/c"), walked);
  }

  @Test
  void usersOfOneListBeginAtDifferentPlaces() throws Exception {
    List<Exchange> list =
        List.of(
            new Exchange("/a", 301),
            new Exchange("/b", 301),
            new Exchange("/c", 301),
            new Exchange("/d", 301));
    JsonNode result = load(new Scenario(0, 0, 1, 0, 2, null, 2, list, 0, null, 0));

    assertEquals(2, firstPaths.size());
    assertEquals(Set.of("/a", "/c"), Set.copyOf(firstPaths.values()));
    assertEquals(4, result.get("stages").get("hold").get("by_request").size());
  }

  @Test
  void tellsNoRequestsOfALongListApart() throws Exception {
    List<Exchange> list = Collections.nCopies(101, new Exchange("/unknown", 404));
    JsonNode result = load(new Scenario(0, 0, 0.5, 0, 2, null, 3, list, 0, null, 0));

    assertEquals(0, result.get("stages").get("hold").get("by_request").size());
  }

  @Test
  void loadsWithTheScenarioThatALineNames(@TempDir Path folder) throws Exception {
    String scenario =
        "{\"warm_up_s\":0,\"ramp_up_s\":0,\"hold_s\":1,\"ramp_down_s\":0,\"timeout_s\":2,"
            + "\"lists\":[[[\"%s\",%d]]]}";
    String first = Files.writeString(folder.resolve("0"), scenario.formatted("/a", 301)).toString();
    String second =
        Files.writeString(folder.resolve("1"), scenario.formatted("/unknown", 404)).toString();
    String runs =
        "%s %s/a\n%s %s/an unknown 1\n%s %s/a again 0\n"
            .formatted(url, folder, url, folder, url, folder);
    new Main().serve(new String[] {first, second}, new BufferedReader(new StringReader(runs)));

    Map<String, String> statuses = Map.of("a", "301", "an unknown", "404", "a again", "301");
    for (String result : statuses.keySet()) {
      JsonNode hold =
          new ObjectMapper().readTree(folder.resolve(result).toFile()).get("stages").get("hold");
      assertEquals(statuses.get(result), hold.get("statuses").fieldNames().next());
      hold.get("errors").forEach(count -> assertEquals(0, count.longValue()));
    }
  }

  @Test
  void tellsInOneLineWhatIsWrongWithItsInput(@TempDir Path folder) throws Exception {
    assertEquals(1, Run.parse("http://a r 1", 2).scenario());
    assertEquals(Path.of("an r"), Run.parse("http://a an r", 2).result());
    assertEquals(0, Run.parse("http://a r 1", 2).ratePerSecond());
    assertEquals(250.5, Run.parse("http://a r 1 250.5", 2).ratePerSecond());
    for (String line :
        List.of(
            "http://a",
            "http://a r 2",
            "http://a r -1",
            "http://a r 9999999999",
            "http://a r 1 0.0",
            "http://a r 1 -2.5",
            "http://[ r 1")) {
      assertOneLine(assertThrows(InputException.class, () -> Run.parse(line, 2)));
    }
    String empty = Files.writeString(folder.resolve("empty"), "{\"lists\":[]}").toString();
    String none = folder.resolve("none").toString();
    for (String[] files : List.of(new String[] {empty}, new String[] {none}, new String[0])) {
      assertOneLine(assertThrows(InputException.class, () -> new Main().serve(files, null)));
    }
  }

  private static void assertOneLine(InputException exception) {
    assertEquals(1, exception.getMessage().lines().count(), exception.getMessage());
  }

  @Test
  void asksForWhatItHasMade() throws Exception {
    List<Exchange> list =
        List.of(
            new Exchange("/made", 201, HttpMethod.POST, new Body.Json("{\"title\":\"ä\"}")),
            new Exchange("{location}", 301),
            new Exchange("{location}", 301, HttpMethod.DELETE, null));
    JsonNode result = load(new Scenario(0, 0, 1, 0, 2, List.of(list)));

    List<String> first =
        List.of(
            "POST /made application/json {\"title\":\"ä\"}",
            "GET /made/1 null ",
            "DELETE /made/1 null ",
            "POST /made application/json {\"title\":\"ä\"}",
            "GET /made/2 null ");
    assertEquals(first, requests.stream().limit(5).toList());
    JsonNode errors = result.get("stages").get("hold").get("errors");
    errors.forEach(count -> assertEquals(0, count.longValue()));
  }

  @Test
  void sendsHeadersAndTellsBytesOfAnswersByRequest() throws Exception {
    Map<String, String> headers = Map.of("Content-Type", "text/plain");
    List<Exchange> list =
        List.of(
            new Exchange("/unknown", 404, HttpMethod.GET, null, headers),
            new Exchange("/broken", 500));
    JsonNode result = load(new Scenario(0, 0, 1, 0, 2, List.of(list, list)));

    assertEquals(Set.of("GET /unknown text/plain ", "GET /broken null "), Set.copyOf(requests));
    JsonNode byRequest = result.get("stages").get("hold").get("by_request");
    assertEquals(2, byRequest.size());
    for (JsonNode request : byRequest) {
      String path = list.get(request == byRequest.get(0) ? 0 : 1).path();
      long answers = request.get("answers").longValue();
      assertTrue(answers > 0);
      assertEquals(answers * lengthOfAnswer(path), request.get("bytes").longValue());
    }
  }

  @Test
  void tellsNoRequestsApartWhereListsDiffer() throws Exception {
    List<Exchange> list = List.of(new Exchange("/unknown", 404));
    List<Exchange> other = List.of(new Exchange("/known", 301));
    JsonNode result = load(new Scenario(0, 0, 1, 0, 2, List.of(list, other)));

    assertEquals(0, result.get("stages").get("hold").get("by_request").size());
  }

  private int lengthOfAnswer(String path) throws IOException {
    try (Socket socket = new Socket(url.getHost(), url.getPort())) {
      String request = "GET %s HTTP/1.1\r\nHost: a\r\n\r\n".formatted(path);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      StringBuilder answer = new StringBuilder();
      while (answer.indexOf("\r\n\r\n") < 0) {
        answer.append((char) socket.getInputStream().read());
      }
      return answer.length();
    }
  }

  @Test
  void beginsAnewWhenNothingWasMade() throws Exception {
    List<Exchange> list =
        List.of(
            new Exchange("/unknown", 404),
            new Exchange("/known", 301),
            new Exchange("{location}", 301));
    load(new Scenario(0, 0, 1, 0, 2, List.of(list)));

    assertEquals(List.of("/unknown", "/known", "/unknown"), paths.stream().limit(3).toList());
  }

  @Test
  void everyUserGetsAConnectionThoughAllArriveAtOnce() throws Exception {
    List<Exchange> list = List.of(new Exchange("/known", 301));
    Future<JsonNode> loading =
        threads.submit(() -> load(new Scenario(0, 0, 30, 0, 2, Collections.nCopies(200, list))));
    // A busy machine takes 30 ms for each connection; the forgotten get one when the others leave.
    long enough = System.nanoTime() + TimeUnit.SECONDS.toNanos(25);
    while (firstPaths.size() < 200 && System.nanoTime() < enough) {
      Thread.sleep(20);
    }
    assertEquals(200, firstPaths.size());

    // Who is refused again and again gives up.
    server.stop(0);
    JsonNode result = loading.get();
    long requests = result.get("stages").get("hold").get("requests").longValue();
    assertTrue(requests >= 200, requests + " requests");
  }

  @Test
  void whoLeavesClosesItsConnection() throws Exception {
    // One process that takes the next connection when the last one is closed.
    try (ServerSocket single = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      threads.submit(() -> answerOneAfterTheOther(single));
      url = URI.create("http://127.0.0.1:" + single.getLocalPort());
      List<Exchange> list = List.of(new Exchange("/", 204));
      JsonNode result = load(new Scenario(0, 0, 1, 0, 10, List.of(list, list, list)));

      JsonNode rest = result.get("stages").get("ramp_down");
      assertTrue(rest.get("requests").longValue() >= 2, "the other two have their answers");
      rest.get("errors").forEach(count -> assertEquals(0, count.longValue()));
    }
  }

  private static Void answerOneAfterTheOther(ServerSocket server) throws IOException {
    while (true) {
      try (Socket socket = server.accept()) {
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          if (line.isEmpty()) {
            socket.getOutputStream().write("HTTP/1.1 204 No Content\r\n\r\n".getBytes());
          }
        }
      } catch (SocketException e) {
        // Who leaves while it is answered resets its connection.
        if (server.isClosed()) {
          throw e;
        }
      }
    }
  }

  @Test
  void sendsNothingMoreOnAConnectionThatTheServerIsAboutToClose() throws Exception {
    List<Exchange> list = List.of(new Exchange("/unknown", 404), new Exchange("/last", 301));
    JsonNode result = load(new Scenario(0, 0, 1, 0, 2, List.of(list, list)));

    JsonNode hold = result.get("stages").get("hold");
    hold.get("errors").forEach(count -> assertEquals(0, count.longValue()));
    // Two on each connection; ports of closed ones come again.
    long requests = hold.get("requests").longValue();
    assertTrue(
        firstPaths.size() > requests / 4, firstPaths.size() + " for " + requests + " requests");
    assertEquals(0, result.get("users_lost").intValue());
  }

  @Test
  void tellsKindsOfErrorsApart() throws Exception {
    JsonNode result =
        load(
            new Scenario(
                0,
                0,
                1,
                0,
                0.3,
                List.of(
                    List.of(
                        new Exchange("/unknown", 301),
                        new Exchange("/broken", 301),
                        new Exchange("/unknown", 404)),
                    List.of(new Exchange("/hanging", 301)),
                    List.of(new Exchange("/closed", 301)))));

    JsonNode hold = result.get("stages").get("hold");
    JsonNode errors = hold.get("errors");
    long right = decode(hold).getTotalCount();
    assertTrue(right > 0);
    assertEquals(right, errors.get("status").longValue(), 1);
    assertEquals(right, errors.get("wrong_status_for_path").longValue(), 1);
    long timeouts = errors.get("timeout").longValue();
    assertTrue(timeouts >= 1 && timeouts <= 4, timeouts + " of 0.3 s within a second");
    assertTrue(errors.get("connection").longValue() > 0);
    assertEquals(right * 2, hold.get("statuses").get("404").longValue(), 1);
  }

  @Test
  void goesOnWithoutAServerAndSaysSo() throws Exception {
    server.stop(0);
    JsonNode result =
        load(new Scenario(0, 0, 0.5, 0, 0.5, List.of(List.of(new Exchange("/a", 301)))));

    assertEquals(0, decode(result.get("stages").get("hold")).getTotalCount());
    assertEquals(1, result.get("users_lost").intValue());
    assertEquals(0, result.get("users_in_hold").intValue());
  }
}
