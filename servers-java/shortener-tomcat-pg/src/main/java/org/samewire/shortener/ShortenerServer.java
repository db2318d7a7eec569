package org.samewire.shortener;

import jakarta.servlet.Servlet;
import java.io.IOException;
import java.io.InputStream;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.ErrorPage;

/** An embedded Tomcat with its routes. It serves each request with a thread. */
final class ShortenerServer {
  private static final Logger LOG = Logger.getLogger(ShortenerServer.class.getName());
  private static final long STOP_NANOS = 8_500_000_000L;

  private final Tomcat tomcat = new Tomcat();
  private final SlowClients clients = new SlowClients();
  private final Connector connector = new Connector(clients);

  ShortenerServer(Settings settings, Links links) {
    // Tomcat makes a folder here, and leaves it empty.
    tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
    tomcat.setConnector(connector);
    connect(settings);

    Context context = tomcat.addContext("", null);
    add(context, "/", new LookupServlet(links));
    add(context, "/links", new LinksServlet(links));
    add(context, "/links/*", new LinkServlet(links));
    add(context, "/healthz", new HealthServlet(links));
    addProblems(context);
  }

  private void connect(Settings settings) {
    connector.setProperty("address", settings.host().getHostAddress());
    connector.setPort(settings.port());
    // A new virtual thread for each request, or one of these.
    connector.setProperty("useVirtualThreads", String.valueOf(settings.virtualThreads()));
    connector.setProperty("maxThreads", "200");
    connector.setProperty("minSpareThreads", "200");
    // What the heap holds if each has sent a part of a head.
    connector.setProperty("maxConnections", "2000");
    connector.setProperty("maxKeepAliveRequests", "-1");
    // Milliseconds without a byte, in a request, in an answer or between them.
    connector.setProperty("connectionTimeout", "20000");
    // Else the port cannot be closed before the connections.
    connector.setProperty("bindOnInit", "false");
    connector.setThrowOnFailure(true);
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
    Tomcat.addServlet(context, path, servlet);
    context.addServletMapping(path, path);
  }

  void start() throws LifecycleException {
    tomcat.start();
  }

  int port() {
    return connector.getLocalPort();
  }

  // #region server.stop
  /**
   * Closes the port, answers the requests in flight, and cuts the rest. Not with {@code pause}: a
   * request of which it has read only the first line would be answered with 400. The pool ends with
   * the process: a request that comes at the last moment finds it open.
   */
  void stop() {
    clients.closeServerSocketGraceful();
    // The next answer on a connection ends it.
    clients.setMaxKeepAliveRequests(1);
    try {
      long start = System.nanoTime();
      do {
        Thread.sleep(50);
      } while (clients.areServed() && System.nanoTime() - start < STOP_NANOS);
    } catch (InterruptedException e) {
      LOG.log(Level.SEVERE, "The stop fails", e);
    }
  }

  // #endregion server.stop

  public static void main(String[] arguments) throws IOException {
    try (InputStream logging = ShortenerServer.class.getResourceAsStream("/logging.properties")) {
      LogManager.getLogManager().readConfiguration(logging);
    }
    try {
      var settings = Settings.from(System.getenv());
      var server = new ShortenerServer(settings, Links.in(settings.database()));
      server.start();
      Runtime.getRuntime().addShutdownHook(new Thread(server::stop));
    } catch (IllegalArgumentException e) {
      LOG.severe(e.getMessage());
      System.exit(1);
    } catch (LifecycleException e) {
      LOG.log(Level.SEVERE, "The server cannot start", e);
      System.exit(1);
    }
  }
}
