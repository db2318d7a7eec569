package org.samewire.randoms.web;

import static java.nio.charset.StandardCharsets.US_ASCII;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/** Every answer with an RFC 9457 body. */
public enum Problem {
  COUNT(HttpStatus.BAD_REQUEST, "count must be an integer from 0 to 100000000."),
  SEED(HttpStatus.BAD_REQUEST, "seed must be an integer from 1 to 4294967295."),
  NO_SUCH_RESOURCE(HttpStatus.NOT_FOUND, "No such resource."),
  METHOD_NOT_ALLOWED(HttpStatus.METHOD_NOT_ALLOWED, "Method not allowed."),
  UNFORESEEN(HttpStatus.INTERNAL_SERVER_ERROR, "Internal server error."),
  UNAVAILABLE(HttpStatus.SERVICE_UNAVAILABLE, "Service unavailable.");

  private final HttpStatus status;
  private final byte[] body;

  Problem(HttpStatus status, String detail) {
    this.status = status;
    body =
        "{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%d,\"detail\":\"%s\"}"
            .formatted(status.getReasonPhrase(), status.value(), detail)
            .getBytes(US_ASCII);
  }

  byte[] body() {
    return body;
  }

  /** Not by a message converter, which has ideas of its own about paths like {@code /a.html}. */
  void write(HttpServletResponse response) throws IOException {
    response.setStatus(status.value());
    if (this == UNAVAILABLE) {
      response.setHeader("Retry-After", "1");
    }
    response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}
