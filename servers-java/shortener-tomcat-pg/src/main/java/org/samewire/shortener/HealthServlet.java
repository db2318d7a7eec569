package org.samewire.shortener;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** {@code GET /healthz}. */
final class HealthServlet extends ShortenerServlet {
  private static final long serialVersionUID = 1;

  HealthServlet(Links links) {
    super(links);
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    links.ping();
    response.setContentType("text/plain");
    response.getWriter().write("ok");
  }
}
