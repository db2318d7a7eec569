package org.samewire.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

@SpringBootTest(
    properties = {
      "port=8080",
      "todo-url=http://todo",
      "raytracer-url=http://raytracer",
      "upstream-timeout-ms=5000"
    })
class BadAnswersTest {
  private static final int EXCHANGES = 2_000;
  private static final byte[] BAD =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n".getBytes();

  @Autowired private RestClient client;

  @Test
  void otherExchangesAreNotTouched() throws Exception {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    HttpServer good = HttpServer.create(new InetSocketAddress(loopback, 0), 100);
    good.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestURI().getPath().getBytes();
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    good.start();
    ExecutorService pool = Executors.newFixedThreadPool(9);
    try (var bad = new ServerSocket(0, 100, loopback)) {
      pool.submit(() -> answerBadly(bad)); // It ends when its socket is closed.
      String goodUrl = "http://127.0.0.1:" + good.getAddress().getPort();
      String badUrl = "http://127.0.0.1:" + bad.getLocalPort();
      List<Callable<Boolean>> exchanges = new ArrayList<>();
      for (int i = 0; i < EXCHANGES; i++) {
        String path = "/" + i;
        exchanges.add(() -> isRight(goodUrl, path));
        exchanges.add(() -> fails(badUrl));
      }
      int right = 0;
      for (Future<Boolean> exchange : pool.invokeAll(exchanges)) {
        right += exchange.get() ? 1 : 0;
      }
      assertThat(right).isEqualTo(exchanges.size());
    } finally {
      pool.shutdown();
      good.stop(0);
    }
  }

  private boolean isRight(String url, String path) {
    return path.equals(client.get().uri(url + path).retrieve().body(String.class));
  }

  private boolean fails(String url) {
    try {
      // Spring takes a body that fails at its first byte for an empty one.
      return client.get().uri(url).retrieve().body(String.class) == null;
    } catch (RestClientException e) {
      return true;
    }
  }

  private static void answerBadly(ServerSocket server) {
    while (!server.isClosed()) {
      try (Socket socket = server.accept()) {
        var request = new BufferedReader(new InputStreamReader(socket.getInputStream()));
        String line;
        do {
          line = request.readLine();
        } while (line != null && !line.isEmpty());
        socket.getOutputStream().write(BAD);
      } catch (IOException e) {
        // This client has left, or the test is over.
      }
    }
  }
}
