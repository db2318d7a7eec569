package org.samewire.shortener;

import com.fasterxml.jackson.databind.json.JsonMapper;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** What all servlets here have in common: they ask the database, and write JSON. */
abstract class ShortenerServlet extends HttpServlet {
  private static final long serialVersionUID = 1;
  private static final JsonMapper JSON = new JsonMapper();

  final transient Links links;

  ShortenerServlet(Links links) {
    this.links = links;
  }

  /** Tomcat logs any other exception, and {@code ProblemServlet} answers with 500. */
  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    try {
      super.service(request, response);
    } catch (Links.DatabaseAwayException e) {
      response.sendError(
          HttpServletResponse.SC_SERVICE_UNAVAILABLE, "The database does not answer.");
    }
  }

  static void write(HttpServletResponse response, Link link) throws IOException {
    response.setContentType("application/json");
    JSON.writeValue(response.getOutputStream(), link);
  }
}
