package org.samewire.shortener;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** A verticle on each of the event loops, of which there is one for each core. */
final class ShortenerServer {
  private static final System.Logger LOG = System.getLogger("shortener");

  private static final int MAX_CONNECTIONS = 8_192;
  private static final int STOP_MILLIS = 9_000;

  private ShortenerServer() {}

  public static void main(String[] args) {
    System.setProperty(
        "java.util.logging.SimpleFormatter.format", "%1$tFT%1$tT %4$s %3$s: %5$s%6$s%n");
    try {
      start(Configuration.from(System.getenv()));
    } catch (IllegalArgumentException e) {
      LOG.log(Level.ERROR, e.getMessage());
      System.exit(1);
    } catch (Exception e) {
      LOG.log(Level.ERROR, "the server cannot start", e);
      System.exit(1);
    }
  }

  private static void start(Configuration configuration) throws IOException {
    int cores = Runtime.getRuntime().availableProcessors();
    Vertx vertx =
        Vertx.vertx(
            new VertxOptions()
                .setPreferNativeTransport(true)
                .setEventLoopPoolSize(cores)
                // Without a folder for temporary files.
                .setFileSystemOptions(new FileSystemOptions().setFileCachingEnabled(false)));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(vertx)));
    String address = configuration.host() + ":" + configuration.port();
    Supplier<ShortenerVerticle> verticles =
        () ->
            new ShortenerVerticle(
                configuration.host(),
                configuration.port(),
                MAX_CONNECTIONS / cores,
                itself -> Links.in(itself, configuration.database()));
    try {
      vertx.deployVerticle(verticles, new DeploymentOptions().setInstances(cores)).await();
    } catch (Exception e) {
      throw new IOException("HOST and PORT cannot be used: " + address, e);
    }
    LOG.log(Level.INFO, "listens on " + address);
  }

  private static void stop(Vertx vertx) {
    try {
      vertx.close().await(STOP_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.log(Level.WARNING, "the stop has taken more than " + STOP_MILLIS + " ms");
    }
  }
}
