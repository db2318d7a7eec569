package org.samewire.shortener;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;

/**
 * What the build runs for the JVM's archive of loaded classes, which makes a start twice as fast: a
 * start, some requests and a stop, without a database.
 */
final class Training {
  private static final List<String> REQUESTS =
      List.of(
          "GET /healthz HTTP/1.0\r\n\r\n",
          "GET /nobody HTTP/1.0\r\n\r\n",
          "POST /links HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 26\r\n\r\n"
              + "{\"url\":\"http://a.example/\"}");

  private Training() {}

  public static void main(String[] args) throws Exception {
    int port = freePort();
    var environment =
        Map.of("PORT", String.valueOf(port), "POSTGRES_URL", "postgres://nobody@127.0.0.1:9/none");
    var server = new ShortenerServer(Configuration.from(environment));
    for (String request : REQUESTS) {
      try (var client = new Socket(InetAddress.getLoopbackAddress(), port)) {
        client.getOutputStream().write(request.getBytes(US_ASCII));
        client.getInputStream().readAllBytes();
      }
    }
    server.stop();
  }

  private static int freePort() throws IOException {
    try (var probe = new ServerSocket(0)) {
      return probe.getLocalPort();
    }
  }
}
