package org.samewire.upload;

import static java.nio.charset.StandardCharsets.US_ASCII;

/** Every answer with an RFC 9457 body. */
enum Problem {
  MALFORMED(400, "Bad Request", "Malformed multipart body."),
  UNEXPECTED_FIELD(400, "Bad Request", "Unexpected file field."),
  TOO_MANY_FILES(400, "Bad Request", "At most 2 files are accepted."),
  NO_FILE(400, "Bad Request", "At least one file is required."),
  NO_SUCH_RESOURCE(404, "Not Found", "No such resource."),
  NO_SUCH_UPLOAD(404, "Not Found", "No such upload."),
  METHOD_NOT_ALLOWED(405, "Method Not Allowed", "Method not allowed."),
  TOO_LARGE(413, "Content Too Large", "Request body too large."),
  NOT_MULTIPART(415, "Unsupported Media Type", "Content-Type must be multipart/form-data."),
  UNFORESEEN(500, "Internal Server Error", "Internal server error."),
  NO_ROOM(507, "Insufficient Storage", "Insufficient storage.");

  private final int status;
  private final byte[] body;

  Problem(int status, String title, String detail) {
    this.status = status;
    body =
        "{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%d,\"detail\":\"%s\"}"
            .formatted(title, status, detail)
            .getBytes(US_ASCII);
  }

  int status() {
    return status;
  }

  byte[] body() {
    return body;
  }
}
