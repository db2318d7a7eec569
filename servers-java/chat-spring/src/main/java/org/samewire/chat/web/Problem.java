package org.samewire.chat.web;

import org.springframework.http.HttpStatus;

/** The RFC 9457 body of an error. Spring's ProblemDetail adds an instance, the path. */
record Problem(String type, String title, int status, String detail) {

  Problem(HttpStatus status, String detail) {
    this("about:blank", status.getReasonPhrase(), status.value(), detail);
  }
}
