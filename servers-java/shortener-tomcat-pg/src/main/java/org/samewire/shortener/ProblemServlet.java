package org.samewire.shortener;

import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.apache.catalina.valves.ErrorReportValve;
import org.apache.tomcat.util.res.StringManager;

/** The error page: it shows an error as a problem (RFC 9457). Tomcat logs what is our fault. */
final class ProblemServlet extends HttpServlet {
  private static final long serialVersionUID = 1;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final StringManager REASONS = StringManager.getManager(ErrorReportValve.class);

  private record Problem(String title, int status, String detail) {}

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    int status = response.getStatus();
    String title = REASONS.getString("http." + status + ".reason");
    // The message of an exception is not for clients.
    boolean ours = request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) != null;
    String detail = ours ? "" : (String) request.getAttribute(RequestDispatcher.ERROR_MESSAGE);
    response.setContentType("application/problem+json");
    JSON.writeValue(
        response.getOutputStream(), new Problem(title, status, detail.isEmpty() ? title : detail));
  }
}
