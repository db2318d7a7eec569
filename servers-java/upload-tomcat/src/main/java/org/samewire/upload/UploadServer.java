package org.samewire.upload;

import java.io.IOException;
import java.io.InputStream;
import java.util.Set;
import java.util.logging.LogManager;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.threads.ThreadPoolExecutor;

/** An embedded Tomcat with three servlets; one thread per request. */
final class UploadServer {
  private static final long ACCEPT_MILLIS = 200;
  private static final long STOP_MILLIS = 8_000;

  private final Tomcat tomcat = new Tomcat();
  private final Connector connector = new Connector();
  private final FileStore store;

  private UploadServer(Settings settings) throws IOException {
    store = new FileStore(settings.uploadDir());
    // Tomcat wants a folder to work in, and leaves it empty.
    tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
    configure(settings);
    tomcat.setConnector(connector);

    Context context = tomcat.addContext("", null);
    var site = new SiteServlet();
    var uploads = new UploadsServlet(store, settings.maxFileBytes(), settings.maxRequestBytes());
    var file = new FileServlet(store);
    context.addServletContainerInitializer(
        (classes, servlets) -> {
          servlets
              .addFilter("problems", new ProblemFilter())
              .addMappingForUrlPatterns(null, false, "/*");
          servlets.addServlet("site", site).addMapping("/");
          servlets.addServlet("uploads", uploads).addMapping("/uploads");
          servlets.addServlet("file", file).addMapping("/uploads/*");
        },
        Set.of());
    ((StandardHost) tomcat.getHost()).setErrorReportValveClass(ProblemValve.class.getName());
  }

  private void configure(Settings settings) {
    connector.setProperty("address", settings.address().getHostAddress());
    connector.setPort(settings.port());
    // All from the start: a request never waits for a thread to be made.
    connector.setProperty("maxThreads", "200");
    connector.setProperty("minSpareThreads", "200");
    connector.setProperty("acceptCount", "1024");
    connector.setProperty("connectionTimeout", "60000");
    connector.setProperty("keepAliveTimeout", "60000");
    connector.setProperty("maxKeepAliveRequests", "-1");
    // Large bodies are what comes here: with the default of 8 KiB, most of the time goes into
    // system calls.
    connector.setProperty("socket.appReadBufSize", String.valueOf(64 * 1024));
    connector.setProperty("maxHttpRequestHeaderSize", String.valueOf(16 * 1024));
    // So much of a refused body is read past, so that its answer reaches a client that still sends.
    connector.setProperty("maxSwallowSize", String.valueOf(16 * 1024 * 1024));
    // In it every path can be decoded; the ones that there are are ASCII.
    connector.setURIEncoding("ISO-8859-1");
    // The servlets refuse TRACE as they refuse any method.
    connector.setAllowTrace(true);
    connector.setThrowOnFailure(true);
    // Bound at its start, it can be closed before its connections: see stop.
    connector.setProperty("bindOnInit", "false");
  }

  private void start() throws IOException {
    store.deleteUnfinished();
    try {
      tomcat.start();
    } catch (LifecycleException e) {
      Throwable cause = e;
      while (cause.getCause() != null) {
        cause = cause.getCause();
      }
      throw new IOException(
          "cannot listen on %s:%d: %s"
              .formatted(
                  connector.getProperty("address"), connector.getPort(), cause.getMessage()));
    }
  }

  // #region server.stop
  /** No new connections, then the requests in flight; what is unfinished after that is deleted. */
  private void stop() {
    try {
      // What has arrived is still accepted; the closed port resets it.
      Thread.sleep(ACCEPT_MILLIS);
      connector.getProtocolHandler().closeServerSocketGraceful();
      var threads = (ThreadPoolExecutor) connector.getProtocolHandler().getExecutor();
      long end = System.nanoTime() + STOP_MILLIS * 1_000_000;
      int quiet = 0;
      // Between two looks, a request that has already arrived gets its thread.
      while (quiet < 3 && System.nanoTime() < end) {
        Thread.sleep(50);
        quiet = threads.getActiveCount() == 0 ? quiet + 1 : 0;
      }
      store.deleteUnfinished();
    } catch (IOException | InterruptedException e) {
      System.err.println("stop: " + e);
    }
  }

  // #endregion server.stop

  public static void main(String[] args) throws IOException {
    try (InputStream logging = UploadServer.class.getResourceAsStream("/logging.properties")) {
      LogManager.getLogManager().readConfiguration(logging);
    }
    try {
      var server = new UploadServer(Settings.from(System.getenv()));
      server.start();
      // The JVM ends with status 143 once this is done.
      Runtime.getRuntime().addShutdownHook(new Thread(server::stop));
    } catch (Exception e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }
}
