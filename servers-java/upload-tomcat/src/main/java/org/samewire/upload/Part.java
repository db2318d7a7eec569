package org.samewire.upload;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.regex.Pattern;

/** What the headers of a part say of it. The names are null where there is none. */
record Part(String field, String fileName) {
  private static final Pattern CONTROL = Pattern.compile("[\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F]");
  private static final String DISPOSITION = "content-disposition:";

  /** Reads headers whose bytes are characters (ISO 8859-1). */
  static Part of(String headers) {
    if (CONTROL.matcher(headers).find()) {
      throw new ProblemException(Problem.MALFORMED);
    }
    for (String line : headers.split("\r\n")) {
      if (line.regionMatches(true, 0, DISPOSITION, 0, DISPOSITION.length())) {
        FieldValue disposition = FieldValue.parse(line.substring(DISPOSITION.length()));
        if (disposition.type().equals("form-data")) {
          String field = disposition.parameters().get("name");
          String fileName = disposition.parameters().get("filename");
          return new Part(field, fileName == null ? null : decoded(fileName));
        }
      }
    }
    return new Part(null, null);
  }

  /** A field that was left empty has a file without a name. */
  boolean isFile() {
    return fileName != null && !fileName.isEmpty();
  }

  /** The last segment of the file name, whichever way the client's system separates them. */
  String name() {
    return fileName.substring(1 + Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')));
  }

  /** UTF-8, with the three characters that browsers write as percent-encodings. */
  private static String decoded(String bytes) {
    try {
      return UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes.getBytes(ISO_8859_1)))
          .toString()
          .replaceAll("(?i)%0A", "\n")
          .replaceAll("(?i)%0D", "\r")
          .replace("%22", "\"");
    } catch (CharacterCodingException e) {
      throw new ProblemException(Problem.MALFORMED);
    }
  }
}
