package org.samewire.chat;

import io.netty.handler.codec.http.HttpResponseStatus;

/** An RFC 9457 body. */
record Problem(String type, String title, int status, String detail) {

  Problem(HttpResponseStatus status, String detail) {
    this("about:blank", status.reasonPhrase(), status.code(), detail);
  }
}
