package org.samewire.upload;

import jakarta.servlet.Servlet;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.WebResourceRoot;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.servlets.DefaultServlet;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.webresources.StandardRoot;
import org.apache.tomcat.util.descriptor.web.ErrorPage;

/** An embedded Tomcat with its routes. It serves each request with a thread of some kind. */
final class UploadServer {
  private static final Logger LOG = Logger.getLogger(UploadServer.class.getName());
  private static final long STOP_NANOS = 8_000_000_000L;

  private final Tomcat tomcat = new Tomcat();
  private final SlowClients clients = new SlowClients();
  private final Connector connector = new Connector(clients);
  private final Storage storage;

  UploadServer(Settings settings) {
    storage = new Storage(settings.uploadDir(), settings.diskFileItems());
    // Tomcat makes a folder here, and leaves it empty.
    tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
    tomcat.setConnector(connector);
    connect(settings);

    Context context = tomcat.addContext("", null);
    add(
        context,
        "/uploads",
        settings.nonBlockingReads()
            ? new NonBlockingUploadServlet(storage, settings)
            : new UploadServlet(storage, settings));
    add(context, "/uploads/*", new FileServlet(storage));
    add(context, "/healthz", new HealthServlet(storage));
    addPage(context);
    addProblems(context);
  }

  private void connect(Settings settings) {
    connector.setProperty("address", settings.host().getHostAddress());
    connector.setPort(settings.port());
    // A new virtual thread for each request, or one of these.
    connector.setProperty("useVirtualThreads", String.valueOf(settings.virtualThreads()));
    connector.setProperty("maxThreads", "200");
    connector.setProperty("minSpareThreads", "200");
    // Each may take 140 KB of the heap.
    connector.setProperty("maxConnections", "1000");
    connector.setProperty("maxKeepAliveRequests", "-1");
    // Milliseconds without a byte, in a request, in an answer or between them.
    connector.setProperty("connectionTimeout", "20000");
    // With the default of 8 KiB a large body takes many more system calls.
    connector.setProperty("socket.appReadBufSize", "65536");
    // Else the port cannot be closed before the connections.
    connector.setProperty("bindOnInit", "false");
    connector.setThrowOnFailure(true);
  }

  /** Tomcat's own servlet for files sends the page. */
  private static void addPage(Context context) {
    WebResourceRoot resources = new StandardRoot(context);
    URL classes = UploadServer.class.getProtectionDomain().getCodeSource().getLocation();
    resources.createWebResourceSet(
        WebResourceRoot.ResourceSetType.RESOURCE_JAR, "/", classes, "/page");
    context.setResources(resources);
    context.addWelcomeFile("index.html");
    context.addMimeMapping("html", "text/html; charset=utf-8");
    Tomcat.addServlet(context, "page", DefaultServlet.class.getName())
        .addInitParameter("fileEncoding", "utf-8");
    context.addServletMapping("/", "page");
  }

  /** All that is refused with {@code sendError}, or fails, ends at one servlet. */
  private void addProblems(Context context) {
    // Clients cannot ask for a path below /WEB-INF.
    add(context, "/WEB-INF/problem", new ProblemServlet());
    var page = new ErrorPage();
    page.setLocation("/WEB-INF/problem");
    context.addErrorPage(page);
    // No page of Tomcat's, which shows stack traces.
    ((StandardHost) tomcat.getHost()).setErrorReportValveClass("");
  }

  private static void add(Context context, String path, Servlet servlet) {
    Tomcat.addServlet(context, path, servlet).setAsyncSupported(true);
    context.addServletMapping(path, path);
  }

  void start() throws IOException, LifecycleException {
    storage.deleteUnfinished();
    tomcat.start();
  }

  int port() {
    return connector.getLocalPort();
  }

  // #region server.stop
  /**
   * Closes the port, answers the requests in flight, and cuts the rest. Not with {@code pause}: a
   * request of which it has read only the first line would be answered with 400.
   */
  void stop() {
    try {
      clients.closeServerSocketGraceful();
      long start = System.nanoTime();
      do {
        Thread.sleep(50);
      } while (clients.areServed() && System.nanoTime() - start < STOP_NANOS);
      if (clients.areServed()) {
        storage.deleteUnfinished();
      }
    } catch (IOException | InterruptedException e) {
      LOG.log(Level.SEVERE, "The stop fails", e);
    }
  }

  // #endregion server.stop

  public static void main(String[] arguments) throws IOException {
    try (InputStream logging = UploadServer.class.getResourceAsStream("/logging.properties")) {
      LogManager.getLogManager().readConfiguration(logging);
    }
    try {
      var server = new UploadServer(Settings.from(System.getenv()));
      server.start();
      Runtime.getRuntime().addShutdownHook(new Thread(server::stop));
    } catch (IllegalArgumentException e) {
      LOG.severe(e.getMessage());
      System.exit(1);
    } catch (IOException | LifecycleException e) {
      LOG.log(Level.SEVERE, "The server cannot start", e);
      System.exit(1);
    }
  }
}
