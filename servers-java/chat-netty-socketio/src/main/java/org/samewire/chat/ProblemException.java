package org.samewire.chat;

import io.netty.handler.codec.http.HttpResponseStatus;

/** A request that is answered with a problem. */
final class ProblemException extends Exception {
  private static final long serialVersionUID = 1;

  static final HttpResponseStatus CONTENT_TOO_LARGE =
      new HttpResponseStatus(413, "Content Too Large");

  private final transient HttpResponseStatus status;

  ProblemException(HttpResponseStatus status, String detail) {
    super(detail, null, false, false);
    this.status = status;
  }

  HttpResponseStatus status() {
    return status;
  }
}
