package org.samewire.raytracer.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.GenericApplicationContext;

/** One thread per request, which renders, too. Errors are ProblemAdvice's: Boot's page is out. */
@SpringBootApplication(exclude = ErrorMvcAutoConfiguration.class)
class RaytracerServer {
  private static final long ACCEPT_MILLIS = 200;
  private static final long READ_MILLIS = 500;

  public static void main(String[] args) {
    try {
      start(Settings.from(System.getenv()));
    } catch (Exception e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }

  private static void start(Settings settings) throws IOException {
    check(settings.address(), settings.port());
    var application = new SpringApplication(RaytracerServer.class);
    application.addInitializers(
        context ->
            ((GenericApplicationContext) context).registerBean(Settings.class, () -> settings));
    application.run();
  }

  /** Whether the port is free is known now, and not after all the rest has been started. */
  private static void check(InetAddress address, int port) throws IOException {
    try (var socket = new Socket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(address, port));
    } catch (IOException e) {
      throw new IOException(
          "cannot listen on %s:%d: %s".formatted(address.getHostAddress(), port, e.getMessage()));
    }
  }

  /**
   * Before all else at the stop. What has arrived is still accepted, since the closed port resets
   * it, and read, since a paused Tomcat answers 400 to what it has not read.
   */
  @EventListener
  void takeWhatHasArrived(ContextClosedEvent event) throws InterruptedException {
    var context = (WebServerApplicationContext) event.getApplicationContext();
    var server = (TomcatWebServer) context.getWebServer();
    Thread.sleep(ACCEPT_MILLIS);
    server.getTomcat().getConnector().getProtocolHandler().closeServerSocketGraceful();
    Thread.sleep(READ_MILLIS);
  }
}
