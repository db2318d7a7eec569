package org.samewire.shortener;

import io.netty.handler.codec.http.HttpResponseStatus;

/** Ends a request with a problem (RFC 9457). */
final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient HttpResponseStatus status;

  ProblemException(HttpResponseStatus status, String detail) {
    super(detail, null, false, false);
    this.status = status;
  }

  HttpResponseStatus status() {
    return status;
  }
}
