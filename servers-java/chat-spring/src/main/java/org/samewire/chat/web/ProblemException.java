package org.samewire.chat.web;

import org.springframework.http.HttpStatus;

/** A request that is answered with a problem. */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final HttpStatus status;

  public ProblemException(HttpStatus status, String detail) {
    super(detail, null, false, false);
    this.status = status;
  }

  HttpStatus status() {
    return status;
  }
}
