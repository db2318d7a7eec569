package org.samewire.upload;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** {@code GET /healthz}. Tomcat's HealthCheckValve would answer any method, even an empty one. */
final class HealthServlet extends HttpServlet {
  private static final long serialVersionUID = 1;

  private final transient Storage storage;

  HealthServlet(Storage storage) {
    this.storage = storage;
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (storage.isWritable()) {
      response.setContentType("text/plain");
      response.getWriter().write("ok");
    } else {
      response.sendError(
          HttpServletResponse.SC_SERVICE_UNAVAILABLE, "The folder cannot be written.");
    }
  }
}
