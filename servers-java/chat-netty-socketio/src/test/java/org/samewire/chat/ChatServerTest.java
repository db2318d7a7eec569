package org.samewire.chat;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.util.Collections;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The real server, with clients of the JDK's. */
class ChatServerTest {
  private static final String SEPARATOR = "\u001e";
  private static final String ENDED = "41";

  private static InetSocketAddress address;
  private static ChatServer server;

  private final HttpClient http = HttpClient.newHttpClient();

  @BeforeAll
  static void start() throws Exception {
    address = free();
    server = new ChatServer(address);
  }

  static InetSocketAddress free() throws IOException {
    try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return new InetSocketAddress(free.getInetAddress(), free.getLocalPort());
    }
  }

  @AfterAll
  static void stop() {
    server.stop();
  }

  @Test
  void overHttp() throws Exception {
    assertEquals(200, get("/healthz").statusCode());
    assertTrue(get("/").body().startsWith("<!DOCTYPE html>"));
    assertEquals(201, post("{\"user\":\"eva\",\"text\":\"oi\"}").statusCode());
    assertTrue(get("/messages?after=0&user=eva").body().contains("\"user\":\"eva\""));
    problem(404, get("/nothing"));
    problem(400, get("/messages?after=-1"));
    problem(400, post("{\"user\":7,\"text\":\"oi\"}"));
    problem(400, post("{\"user\":\"eva\",\"text\":\"oi\"} {}"));
    problem(400, post(""));
    problem(413, post(" ".repeat(65_537)));
  }

  @Test
  void overWebSocket() throws Exception {
    var ana = new Client("ana");
    var bia = new Client("bia");
    assertEquals("42[\"joined\",{\"user\":\"bia\"}]", ana.next());
    bia.send("427[\"message\",\"oi\"]");
    assertTrue(bia.next().startsWith("437[{\"ok\":true,\"id\":"));
    assertTrue(ana.next().endsWith("\"user\":\"bia\",\"text\":\"oi\"}]"));
    bia.socket.abort();
    assertEquals("42[\"left\",{\"user\":\"bia\"}]", ana.next());
    ana.socket.abort();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "9",
        "x",
        "4abc",
        "42",
        "42{}",
        "42abc[\"message\",\"oi\"]",
        "451000000000-[\"message\",{\"_placeholder\":true,\"num\":0}]",
        "10:4",
      })
  void whatIsNoPacket(String packet) throws Exception {
    var client = new Client("odd");
    client.send(packet);
    assertEquals(ENDED, client.next());
  }

  @ParameterizedTest
  @ValueSource(strings = {"2probe", "5"})
  void whatIsNoPacketOfAPoll(String packet) throws Exception {
    String session = newSession();
    poll(session, packet);
    assertEquals(400, get(session).statusCode());
  }

  @Test
  void tooManyEvents() throws Exception {
    var client = new Client("rui");
    for (int i = 0; i < 50; i++) {
      client.send("42[\"unknown\"]");
    }
    assertEquals(ENDED, client.next());
  }

  @Test
  void answersThatNobodyPolls() throws Exception {
    String session = newSession();
    String packets = String.join(SEPARATOR, Collections.nCopies(2_002, "40"));
    send(request(session).POST(BodyPublishers.ofString(packets)));
    assertEquals(400, get(session).statusCode());
  }

  @ParameterizedTest
  @ValueSource(strings = {"40{\"a\":\"%s\"}", "40/%s,"})
  void whatIsKeptOfAConnect(String packet) throws Exception {
    String session = newSession();
    poll(session, packet.formatted("a".repeat(90)));
    assertEquals(200, get(session).statusCode());
    poll(session, packet.formatted("a".repeat(600)));
    assertEquals(400, get(session).statusCode());
  }

  @Test
  void whatIsKeptOfAHandshake() throws Exception {
    HttpRequest.Builder handshake = request("/socket.io/?EIO=4&transport=polling");
    for (int i = 0; i < 60; i++) {
      handshake.header("X-" + i, "a");
    }
    assertEquals(400, send(handshake).statusCode());
    String parameters = IntStream.range(0, 10).mapToObj(i -> "&x" + i).collect(joining());
    assertEquals(400, get("/socket.io/?EIO=4&transport=polling" + parameters).statusCode());
  }

  @Test
  void pollsLoseNothing() throws Exception {
    String session = newSession();
    poll(session, "40");
    assertTrue(get(session).body().startsWith("40{\"sid\""));
    poll(session, "420[\"join\",\"polling\"]" + SEPARATOR + "421[\"join\",\"polling\"]");
    String answers = get(session).body();
    assertTrue(answers.startsWith("430[{"), answers);
    assertTrue(answers.contains(SEPARATOR + "431[{\"ok\":false"), answers);
    for (int i = 0; i < 120; i++) {
      post("{\"user\":\"eva\",\"text\":\"poll " + i + "\"}");
    }
    int packets = 0;
    while (packets < 120) {
      for (String packet : get(session).body().split(SEPARATOR)) {
        packets += packet.contains("poll " + packets + "\"") ? 1 : 0;
      }
    }
    poll(session, "1");
    assertEquals(400, get(session).statusCode());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "EIO=3&transport=polling",
        "EIO=4&transport=nothing",
        "EIO=4&transport=websocket",
        "EIO=4&transport=polling&sid=x",
        "EIO=4&transport=polling&sid=3f333df6-90a4-4fda-8dd3-9485d27cee36",
        "EIO=4&transport=polling&j=x",
      })
  void noHandshake(String query) throws Exception {
    assertEquals(400, get("/socket.io/?" + query).statusCode());
  }

  private String newSession() throws Exception {
    String open = get("/socket.io/?EIO=4&transport=polling").body();
    return "/socket.io/?EIO=4&transport=polling&sid="
        + open.replaceFirst(".*\"sid\":\"([^\"]+)\".*", "$1");
  }

  private void poll(String session, String packets) throws Exception {
    assertEquals("ok", send(request(session).POST(BodyPublishers.ofString(packets))).body());
  }

  private HttpResponse<String> get(String target) throws Exception {
    return send(request(target));
  }

  private HttpResponse<String> post(String body) throws Exception {
    return send(
        request("/messages")
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body)));
  }

  private static HttpRequest.Builder request(String target) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + address.getPort() + target));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private static void problem(int status, HttpResponse<String> response) {
    assertEquals(status, response.statusCode(), response.body());
    assertTrue(response.body().contains("\"status\":" + status), response.body());
  }

  /** Has joined. Its packets wait in a queue; pings are answered. */
  private final class Client implements WebSocket.Listener {
    private final BlockingQueue<String> packets = new LinkedBlockingQueue<>();
    private final WebSocket socket;

    Client(String user) throws Exception {
      socket =
          http.newWebSocketBuilder()
              .buildAsync(
                  URI.create(
                      "ws://127.0.0.1:"
                          + address.getPort()
                          + "/socket.io/?EIO=4&transport=websocket"),
                  this)
              .get();
      assertTrue(next().startsWith("0{\"sid\""));
      send("40");
      assertTrue(next().startsWith("40{\"sid\""));
      send("420[\"join\",\"" + user + "\"]");
      assertTrue(next().startsWith("430[{\"room\""));
    }

    void send(String packet) throws Exception {
      socket.sendText(packet, true).get();
    }

    String next() throws Exception {
      return packets.poll(10, TimeUnit.SECONDS);
    }

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      String packet = data.toString();
      if (packet.equals("2")) {
        socket.sendText("3", true);
      } else {
        packets.add(packet);
      }
      socket.request(1);
      return null;
    }

    // Java's client may lose the last packet: it sees the end of the connection first.
    @Override
    public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
      packets.add(ENDED);
      return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
      packets.add(ENDED);
    }
  }
}
