package org.samewire.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.web.client.RestClient;

@SpringBootTest(
    properties = {"port=8080", "todo-url=http://todo", "raytracer-url=http://raytracer"})
class StructuredClientTest {
  @Autowired private RestClient client;

  @Test
  void interruptEndsTheExchange() throws Exception {
    try (var upstream = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String uri = "http://127.0.0.1:" + upstream.getLocalPort();
      var asking = new Thread(() -> client.get().uri(uri).retrieve().toBodilessEntity());
      asking.setUncaughtExceptionHandler((thread, failure) -> {});
      asking.start();
      try (Socket exchange = upstream.accept()) {
        exchange.setSoTimeout(5_000);
        InputStream request = exchange.getInputStream();
        assertThat(request.read()).isEqualTo('G');
        asking.interrupt();
        // To the end of the connection, which comes before the time-out of the exchange.
        assertThat(request.readAllBytes()).isNotEmpty();
      }
      asking.join();
    }
  }
}
