package org.samewire.upload;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UploadServerTest {
  private static final String LEFT = ".part-left";

  @TempDir private static Path folder;

  private final HttpClient client = HttpClient.newHttpClient();
  private UploadServer server;

  @BeforeAll
  void start() throws Exception {
    Files.createFile(folder.resolve(LEFT));
    server = new UploadServer(settings(folder, 100, 1000));
    server.start();
  }

  Settings settings(Path folder, long maxFileBytes, long maxRequestBytes) {
    return settings(folder, maxFileBytes, maxRequestBytes, false, false);
  }

  static Settings settings(
      Path folder,
      long maxFileBytes,
      long maxRequestBytes,
      boolean virtualThreads,
      boolean nonBlockingReads) {
    return new Settings(
        InetAddress.getLoopbackAddress(),
        0,
        folder,
        maxFileBytes,
        maxRequestBytes,
        false,
        virtualThreads,
        nonBlockingReads);
  }

  @AfterAll
  void stop() {
    server.stop();
  }

  @AfterEach
  void nothingUnfinished() throws Exception {
    assertEquals(List.of(), files(".part-"));
  }

  @Test
  void thereAndBack() throws Exception {
    var created = post(form(part("a %22b%22.txt", "first"), part("dir\\ü", "")));
    assertEquals(201, created.statusCode());
    assertTrue(
        created
            .body()
            .matches(".*\"name\":\"a \\\\\"b\\\\\".txt\",\"size\":5.*\"name\":\"ü\",\"size\":0.*"),
        created.body());
    String id = created.body().replaceFirst(".*?\"id\":\"([^\"]+)\".*", "$1");
    var file = send(request("/uploads/" + id));
    assertEquals("first", file.body());
    assertEquals("attachment", file.headers().firstValue("Content-Disposition").orElse(""));
    assertEquals(204, send(request("/uploads/" + id).DELETE()).statusCode());
    problem(404, send(request("/uploads/" + id)));
    problem(404, send(request("/uploads/" + id).DELETE()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/uploads/x", "/uploads/" + LEFT, "/nothing", "/WEB-INF/problem"})
  void notFound(String path) throws Exception {
    problem(404, send(request(path)));
  }

  @Test
  void pageAndHealth() throws Exception {
    assertTrue(send(request("/")).body().startsWith("<!doctype html>"));
    assertEquals(200, send(request("/healthz")).statusCode());
  }

  @Test
  void limits() throws Exception {
    assertEquals(201, post(form(part("a", "x".repeat(100)))).statusCode());
    problem(413, post(form(part("a", "x".repeat(101)))));
    String form = form(part("a", ""));
    assertEquals(201, post(form + "x".repeat(1000 - form.length())).statusCode());
    problem(413, post(form + "x".repeat(1001 - form.length())));
    problem(413, send(inChunks(form + "x".repeat(1001 - form.length()))));
    problem(400, post(form(part("a", ""), part("b", ""), part("c", ""))));
    problem(400, post(form(part("", ""))));
    problem(400, post(form(part("a\0", "x"))));
    problem(415, send(request("/uploads").POST(BodyPublishers.ofString("x"))));
  }

  @Test
  void whatIsCutIsNotKept() throws Exception {
    String form = form(part("a", "first"), part("b", "second"));
    List<String> before = files("");
    for (int end = 0; end < form.length() - "--\r\n".length(); end += 5) {
      problem(400, post(form.substring(0, end)));
    }
    assertEquals(before, files(""));
  }

  @Test
  void aClientVanishes() throws Exception {
    List<String> before = files("");
    String form = form(part("a", "first"), part("b", "second"));
    for (int end = 0; end < form.length() - "--\r\n".length(); end += 7) {
      try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
        String head =
            "POST /uploads HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\n"
                + "Content-Length: %d\r\n\r\n".formatted(form.length());
        socket.getOutputStream().write((head + form.substring(0, end)).getBytes(UTF_8));
      }
    }
    for (int i = 0; i < 100 && !files("").equals(before); i++) {
      Thread.sleep(50);
    }
    assertEquals(before, files(""));
  }

  private static String part(String name, String content) {
    return ("Content-Disposition: form-data; name=\"files[]\"; filename=\"%s\"\r\n"
            + "Content-Type: application/octet-stream\r\n\r\n%s\r\n")
        .formatted(name, content);
  }

  private static String form(String... parts) {
    return "--b\r\n" + String.join("--b\r\n", parts) + "--b--\r\n";
  }

  private HttpResponse<String> post(String form) throws Exception {
    return send(upload(BodyPublishers.ofString(form)));
  }

  private HttpRequest.Builder inChunks(String form) {
    return upload(BodyPublishers.fromPublisher(BodyPublishers.ofString(form)));
  }

  private HttpRequest.Builder upload(HttpRequest.BodyPublisher body) {
    return request("/uploads").header("Content-Type", "multipart/form-data; boundary=b").POST(body);
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

  private static List<String> files(String prefix) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith(prefix))
          .sorted()
          .toList();
    }
  }
}
