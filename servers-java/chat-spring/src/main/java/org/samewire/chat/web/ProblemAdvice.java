package org.samewire.chat.web;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.NoHandlerFoundException;
import tools.jackson.databind.json.JsonMapper;

/** Every failure as a problem. */
@RestControllerAdvice
class ProblemAdvice {
  private static final Logger LOG = LoggerFactory.getLogger(ProblemAdvice.class);

  private final JsonMapper json;

  ProblemAdvice(JsonMapper json) {
    this.json = json;
  }

  @ExceptionHandler
  void broken(ProblemException e, HttpServletResponse response) throws IOException {
    write(response, e.status(), e.getMessage());
  }

  @ExceptionHandler
  void noSuchPath(NoHandlerFoundException e, HttpServletResponse response) throws IOException {
    write(response, HttpStatus.NOT_FOUND, "No such resource.");
  }

  @ExceptionHandler
  void noSuchMethod(HttpRequestMethodNotSupportedException e, HttpServletResponse response)
      throws IOException {
    // Spring answers HEAD wherever there is GET.
    String allow = String.join(", ", e.getSupportedMethods()).replace("GET", "GET, HEAD");
    response.setHeader("Allow", allow);
    write(response, HttpStatus.METHOD_NOT_ALLOWED, "Method not allowed.");
  }

  /** A body that broke off or is badly chunked. */
  @ExceptionHandler
  void malformed(IOException e, HttpServletResponse response) {
    response.setStatus(HttpStatus.BAD_REQUEST.value());
  }

  @ExceptionHandler
  void unforeseen(Exception e, HttpServletResponse response) throws IOException {
    LOG.error("unforeseen: {}", oneLine(e));
    write(response, HttpStatus.INTERNAL_SERVER_ERROR, "Internal server error.");
  }

  private static String oneLine(Throwable e) {
    return e.toString().replaceAll("\\s+", " ");
  }

  /** Not by a message converter, which has ideas of its own about paths like {@code /a.html}. */
  private void write(HttpServletResponse response, HttpStatus status, String detail)
      throws IOException {
    response.setStatus(status.value());
    response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
    response.getOutputStream().write(json.writeValueAsBytes(new Problem(status, detail)));
  }
}
