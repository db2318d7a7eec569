import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

/** A counter behind HTTP: {@code POST /counter} adds one, {@code GET /counter} tells it. */
final class CounterServer {

  private CounterServer() {}

  public static void main(String[] args) throws IOException {
    String kind = System.getenv().getOrDefault("COUNTER", "lock");
    Counter counter =
        switch (kind) {
          case "lock" -> new LockedCounter();
          case "compare-and-set" -> new CompareAndSetCounter();
          case "wrong-on-purpose" -> new WrongOnPurposeCounter();
          default -> throw new IllegalArgumentException("COUNTER: there is no " + kind);
        };
    String host = System.getenv("HOST");
    int port = Integer.parseInt(System.getenv("PORT"));
    HttpServer server = HttpServer.create(new InetSocketAddress(host, port), 1024);
    // A thread for each request under way.
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext(
        "/counter",
        exchange -> {
          boolean adds = exchange.getRequestMethod().equals("POST");
          answer(exchange, adds ? counter.add() : counter.value());
        });
    server.createContext("/healthz", exchange -> answer(exchange, "healthy"));
    server.start();
  }

  private static void answer(HttpExchange exchange, Object told) throws IOException {
    byte[] bytes = told.toString().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/plain");
    exchange.sendResponseHeaders(200, bytes.length);
    try (OutputStream body = exchange.getResponseBody()) {
      body.write(bytes);
    }
  }
}
