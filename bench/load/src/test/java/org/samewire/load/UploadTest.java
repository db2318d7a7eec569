package org.samewire.load;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.hyperfoil.http.api.HttpMethod;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.samewire.load.Scenario.Exchange;

class UploadTest {
  private static final InetSocketAddress ANY_PORT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ConcurrentLinkedQueue<List<Integer>> uploads = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  private static Exchange upload(Integer... sizes) {
    return new Exchange("/uploads", 201, HttpMethod.POST, new Body.Files(List.of(sizes)));
  }

  private static JsonNode load(Scenario scenario, int port) throws Exception {
    URI url = URI.create("http://127.0.0.1:" + port);
    return new ObjectMapper().valueToTree(new Main().load(scenario, 0, url));
  }

  /** Takes a body apart, and notes what is not as RFC 7578 and the contract have it. */
  private void receive(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    if (!exchange
        .getRequestHeaders()
        .get("Content-Length")
        .equals(List.of(Integer.toString(body.length)))) {
      wrong.add("length");
    }
    String type = exchange.getRequestHeaders().getFirst("Content-Type");
    if (!type.matches("multipart/form-data; boundary=[0-9a-z-]{1,70}")) {
      wrong.add(type);
    }
    String delimiter = "\r\n--" + type.substring(type.indexOf('=') + 1);
    String text = "\r\n" + new String(body, StandardCharsets.ISO_8859_1);
    List<String> parts = new ArrayList<>(Arrays.asList(text.split(delimiter, -1)));
    if (!parts.remove(0).isEmpty() || !parts.remove(parts.size() - 1).equals("--\r\n")) {
      wrong.add("beginning or end");
    }
    List<Integer> sizes = new ArrayList<>();
    for (String part : parts) {
      String[] headAndContent = part.split("\r\n\r\n", 2);
      String head =
          "\r\nContent-Disposition: form-data; name=\"files[]\"; filename=\"file.bin\""
              + "\r\nContent-Type: application/octet-stream";
      if (!headAndContent[0].equals(head)) {
        wrong.add(headAndContent[0]);
      }
      sizes.add(headAndContent[1].length());
    }
    uploads.add(sizes);
    exchange.sendResponseHeaders(201, -1);
  }

  @Test
  void sendsFilesAsPartsOfTheRightSizes() throws Exception {
    HttpServer server = HttpServer.create(ANY_PORT, 0);
    server.setExecutor(threads);
    server.createContext("/uploads", this::receive);
    server.start();
    // Empty, as long as the buffer that they are cut from, and longer than what a socket takes.
    List<Exchange> list =
        List.of(
            upload(4, 5403), upload(0, 262_144), upload(262_145, 1), upload(9_000_000, 3_000_000));
    JsonNode result =
        load(new Scenario(0, 0, 2, 0, 5, List.of(list)), server.getAddress().getPort());
    server.stop(0);

    assertEquals(List.of(), List.copyOf(wrong));
    List<List<Integer>> first =
        List.of(
            List.of(4, 5403),
            List.of(0, 262_144),
            List.of(262_145, 1),
            List.of(9_000_000, 3_000_000),
            List.of(4, 5403));
    assertEquals(first, uploads.stream().limit(5).toList());
    JsonNode hold = result.get("stages").get("hold");
    hold.get("errors").forEach(count -> assertEquals(0, count.longValue()));
    assertTrue(hold.get("statuses").get("201").longValue() >= 5);
    // The one user's answers of the hold are the first ones; what comes after it is not in it.
    long answers = hold.get("requests").longValue();
    long uploaded =
        uploads.stream().limit(answers).flatMap(List::stream).mapToLong(Integer::longValue).sum();
    assertEquals(uploaded, hold.get("uploaded_bytes").longValue());
  }

  @Test
  void everyBodyIsWholeThoughBuffersAreShared() {
    Body body = new Body.Files(List.of(600_000, 7));
    byte[] first = read(body);
    assertArrayEquals(first, read(body));
    assertEquals(600_000 + 7, first.length - read(new Body.Files(List.of(0, 0))).length);
  }

  private static byte[] read(Body body) {
    var buffer = body.bytes();
    // Otherwise the transport copies all of it.
    assertTrue(buffer.isDirect());
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.readBytes(bytes);
    assertTrue(buffer.release());
    return bytes;
  }

  private interface Answer {
    void to(Socket client) throws IOException, InterruptedException;
  }

  /** The errors of two users whose bodies of 12 MB nobody reads to the end. */
  private JsonNode errors(Answer answer) throws Exception {
    try (ServerSocket server = new ServerSocket()) {
      server.bind(ANY_PORT);
      threads.execute(
          () -> {
            while (!server.isClosed()) {
              try {
                Socket client = server.accept();
                threads.execute(() -> answer(client, answer));
              } catch (IOException e) {
                return;
              }
            }
          });
      List<Exchange> list = List.of(upload(6_000_000, 6_000_000));
      JsonNode result =
          load(new Scenario(0, 0, 1, 0, 0.3, List.of(list, list)), server.getLocalPort());
      assertEquals(0, result.get("users_lost").intValue());
      return result.get("stages").get("hold").get("errors");
    }
  }

  private static void answer(Socket client, Answer answer) {
    try (client) {
      client.getInputStream().readNBytes(100_000);
      answer.to(client);
    } catch (IOException | InterruptedException e) {
      // The generator has closed the connection, or the test is over.
    }
  }

  private static void refuse(Socket client, String headers) throws IOException {
    String answer = "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n%s\r\n".formatted(headers);
    client.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void anAnswerBeforeTheWholeBodyIsTheAnswer() throws Exception {
    JsonNode errors =
        errors(
            client -> {
              refuse(client, "Connection: close\r\n");
              // As a server does that wants its answer to arrive: a while in which the rest of the
              // body stays unread, and then until the generator has left. Closed any earlier, a
              // generator that is held up finds its body refused before it finds the answer.
              Thread.sleep(50);
              client.getInputStream().transferTo(OutputStream.nullOutputStream());
            });
    assertTrue(errors.get("status").longValue() > 2, errors::toString);
    assertEquals(0, errors.get("connection").longValue());
    assertEquals(0, errors.get("timeout").longValue());
  }

  @Test
  void theRestOfABodyFollowsAnAnswerThatKeepsTheConnection() throws Exception {
    JsonNode errors =
        errors(
            client -> {
              InputStream body = client.getInputStream();
              while (true) {
                refuse(client, "");
                // The generator's heads have fewer than 1,000 bytes.
                body.skipNBytes(12_000_000);
              }
            });
    assertTrue(errors.get("status").longValue() > 2, errors::toString);
    assertEquals(0, errors.get("connection").longValue());
    assertEquals(0, errors.get("timeout").longValue());
  }

  @Test
  void aConnectionThatIsClosedBeforeTheWholeBodyIsAnError() throws Exception {
    JsonNode errors = errors(client -> {});
    assertTrue(errors.get("connection").longValue() > 2, errors::toString);
    assertEquals(0, errors.get("status").longValue());
    assertEquals(0, errors.get("timeout").longValue());

    // The answer may be lost with the connection.
    errors = errors(client -> refuse(client, "Connection: close\r\n"));
    long either = errors.get("status").longValue() + errors.get("connection").longValue();
    assertTrue(either > 2, errors::toString);
    assertEquals(0, errors.get("timeout").longValue());
  }

  @Test
  void aBodyThatNobodyReadsIsATimeout() throws Exception {
    JsonNode errors = errors(client -> Thread.sleep(60_000));
    long timeouts = errors.get("timeout").longValue();
    assertTrue(timeouts >= 2 && timeouts <= 8, errors::toString);
    assertEquals(0, errors.get("connection").longValue());
    assertEquals(0, errors.get("status").longValue());
  }
}
