package org.samewire.upload;

import static java.nio.charset.StandardCharsets.US_ASCII;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;

/**
 * {@code /}, {@code /healthz}, and every path that there is not. Called by many threads at once.
 */
final class SiteServlet extends HttpServlet {
  private static final long serialVersionUID = 1;
  private static final byte[] HEALTHY = "{\"status\":\"ok\"}".getBytes(US_ASCII);

  private final byte[] page;

  SiteServlet() throws IOException {
    try (InputStream file = SiteServlet.class.getResourceAsStream("/index.html")) {
      page = file.readAllBytes();
    }
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    switch (request.getServletPath()) {
      case "/" -> get(request, response, "text/html; charset=utf-8", page);
      case "/healthz" -> get(request, response, "application/json", HEALTHY);
      default -> throw new ProblemException(Problem.NO_SUCH_RESOURCE);
    }
  }

  private static void get(
      HttpServletRequest request, HttpServletResponse response, String type, byte[] body)
      throws IOException {
    if (!request.getMethod().equals("GET") && !request.getMethod().equals("HEAD")) {
      throw ProblemException.notAllowed("GET, HEAD");
    }
    response.setContentType(type);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}
