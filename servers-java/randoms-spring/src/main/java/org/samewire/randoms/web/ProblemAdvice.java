package org.samewire.randoms.web;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.AsyncRequestTimeoutException;
import org.springframework.web.servlet.NoHandlerFoundException;

/** Every failure as a problem. */
@RestControllerAdvice
class ProblemAdvice {
  private static final Logger LOG = LoggerFactory.getLogger(ProblemAdvice.class);

  @ExceptionHandler
  void broken(ProblemException e, HttpServletResponse response) throws IOException {
    e.problem().write(response);
  }

  @ExceptionHandler
  void noSuchPath(NoHandlerFoundException e, HttpServletResponse response) throws IOException {
    Problem.NO_SUCH_RESOURCE.write(response);
  }

  @ExceptionHandler
  void noSuchMethod(HttpRequestMethodNotSupportedException e, HttpServletResponse response)
      throws IOException {
    // Every path has GET alone, and HEAD with it.
    response.setHeader("Allow", "GET, HEAD");
    Problem.METHOD_NOT_ALLOWED.write(response);
  }

  /** Too many wait, or the server stops. */
  @ExceptionHandler({RejectedExecutionException.class, AsyncRequestTimeoutException.class})
  void busy(Exception e, HttpServletResponse response) throws IOException {
    Problem.UNAVAILABLE.write(response);
  }

  /** The client has left. */
  @ExceptionHandler
  void gone(IOException e, HttpServletResponse response) {}

  @ExceptionHandler
  void unforeseen(Exception e, HttpServletResponse response) throws IOException {
    LOG.error("unforeseen: {}", e.toString().replaceAll("\\s+", " "));
    Problem.UNFORESEEN.write(response);
  }
}
