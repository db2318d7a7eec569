package org.samewire.shortener;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.handler.codec.http.HttpResponseStatus;

/** Every answer with an RFC 9457 body. */
enum Problem {
  INVALID_JSON(400, "Bad Request", "Request body is not valid JSON."),
  NO_SUCH_RESOURCE(404, "Not Found", "No such resource."),
  NO_SUCH_LINK(404, "Not Found", "No such link."),
  METHOD_NOT_ALLOWED(405, "Method Not Allowed", "Method not allowed."),
  BODY_TOO_LARGE(413, "Content Too Large", "Request body too large."),
  NOT_JSON(415, "Unsupported Media Type", "Content-Type must be application/json."),
  NOT_ONE_MEMBER(400, "Bad Request", "Request body must be an object with the one member url."),
  INVALID_URL(
      400, "Bad Request", "url must be an absolute http or https URL of at most 2048 bytes."),
  UNFORESEEN(500, "Internal Server Error", "Internal server error."),
  DATABASE_AWAY(503, "Service Unavailable", "Service unavailable.");

  private final HttpResponseStatus status;
  private final byte[] body;

  Problem(int code, String title, String detail) {
    status = new HttpResponseStatus(code, title);
    body =
        "{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%d,\"detail\":\"%s\"}"
            .formatted(title, code, detail)
            .getBytes(US_ASCII);
  }

  HttpResponseStatus status() {
    return status;
  }

  byte[] body() {
    return body;
  }
}
