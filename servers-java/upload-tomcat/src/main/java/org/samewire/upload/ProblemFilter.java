package org.samewire.upload;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import org.apache.coyote.BadRequestException;

/** Answers every failure with a problem. */
final class ProblemFilter extends HttpFilter {
  private static final long serialVersionUID = 1;
  private static final System.Logger LOG = System.getLogger("upload");

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    try {
      chain.doFilter(request, response);
    } catch (ProblemException e) {
      answer(response, e.problem(), e.allow());
    } catch (BadRequestException e) {
      // The client has left or its framing is malformed: that is Tomcat's to answer.
      throw e;
    } catch (IOException | RuntimeException e) {
      LOG.log(Level.ERROR, e.toString());
      if (response.isCommitted()) {
        // Half of an answer: Tomcat cuts the connection, so that nobody takes it for the whole.
        throw e;
      }
      answer(response, Problem.UNFORESEEN, null);
    }
  }

  private static void answer(HttpServletResponse response, Problem problem, String allow)
      throws IOException {
    response.reset();
    response.setStatus(problem.status());
    if (allow != null) {
      response.setHeader("Allow", allow);
    }
    response.setContentType("application/problem+json");
    response.setContentLength(problem.body().length);
    response.getOutputStream().write(problem.body());
  }
}
