package org.samewire.chat;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;

/**
 * What the build runs for the JVM's archive of loaded classes, which halves the work of a start: a
 * start, some requests, one visit over a WebSocket and a stop.
 */
final class Training {
  private static final int TIMEOUT_MILLIS = 20_000;

  private static final List<String> REQUESTS =
      List.of(
          "GET /healthz HTTP/1.0\r\n\r\n",
          "GET /messages HTTP/1.0\r\n\r\n",
          "GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: localhost\r\n\r\n",
          "POST /messages HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 23\r\n\r\n"
              + "{\"user\":\"a\",\"text\":\"b\"}");

  private static final String UPGRADE =
      "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: localhost\r\n"
          + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
          + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";

  /** Connects, joins, says something and leaves. */
  private static final List<String> PACKETS =
      List.of("40", "420[\"join\",\"a\"]", "421[\"message\",\"b\"]", "1");

  private Training() {}

  public static void main(String[] args) {
    try {
      train(freePort());
    } catch (Exception e) {
      e.printStackTrace();
      System.exit(1);
    }
    // The library's threads do not end by themselves.
    System.exit(0);
  }

  private static void train(int port) throws Exception {
    var server = new ChatServer(Settings.from(Map.of("PORT", String.valueOf(port))));
    for (String request : REQUESTS) {
      try (Socket client = connect(port)) {
        client.getOutputStream().write(request.getBytes(US_ASCII));
        client.getInputStream().readAllBytes();
      }
    }
    try (Socket client = connect(port)) {
      client.getOutputStream().write(UPGRADE.getBytes(US_ASCII));
      // No frame may be on its way before the answer.
      client.getInputStream().readNBytes(1);
      for (String packet : PACKETS) {
        client.getOutputStream().write(frame(packet));
      }
      client.getInputStream().readAllBytes();
    }
    server.stop();
  }

  private static Socket connect(int port) throws IOException {
    var client = new Socket(InetAddress.getLoopbackAddress(), port);
    client.setSoTimeout(TIMEOUT_MILLIS);
    return client;
  }

  /** A short text, masked with zeros. */
  private static byte[] frame(String text) {
    var frame = new ByteArrayOutputStream();
    frame.write(0x81);
    frame.write(0x80 | text.length());
    frame.writeBytes(new byte[4]);
    frame.writeBytes(text.getBytes(US_ASCII));
    return frame.toByteArray();
  }

  private static int freePort() throws IOException {
    try (var probe = new ServerSocket(0)) {
      return probe.getLocalPort();
    }
  }
}
