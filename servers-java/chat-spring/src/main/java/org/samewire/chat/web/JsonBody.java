package org.samewire.chat.web;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/** The body of a request, read as strictly as the contract asks, which no converter does. */
public final class JsonBody {
  private static final int MAX_BYTES = 64 * 1024;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          // Names come from clients: they must not fill a table of symbols.
          .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(64)
                  .maxNameLength(MAX_BYTES)
                  .maxNumberLength(MAX_BYTES)
                  .build())
          .build();

  private JsonBody() {}

  /**
   * The members of the body, or nothing if it is no object: strings as they are, every other value
   * as null. Throws the problem with a body that is no JSON of a proper size.
   */
  public static Optional<Map<String, String>> object(HttpServletRequest request)
      throws IOException {
    if (!isJson(request)) {
      throw new ProblemException(
          HttpStatus.UNSUPPORTED_MEDIA_TYPE, "Content-Type must be application/json.");
    }
    byte[] body = request.getContentLengthLong() > MAX_BYTES ? null : read(request);
    if (body == null || body.length > MAX_BYTES) {
      throw new ProblemException(HttpStatus.CONTENT_TOO_LARGE, "Request body too large.");
    }
    try {
      return object(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString());
    } catch (CharacterCodingException | JacksonException e) {
      throw new ProblemException(HttpStatus.BAD_REQUEST, "Request body is not valid JSON.");
    }
  }

  /** One byte more than there may be, at most. */
  private static byte[] read(HttpServletRequest request) throws IOException {
    try {
      return request.getInputStream().readNBytes(MAX_BYTES + 1);
    } catch (IllegalStateException e) {
      // More trailer fields than Tomcat takes.
      throw new IOException(e);
    }
  }

  private static boolean isJson(HttpServletRequest request) {
    String type = request.getContentType();
    return type != null
        && type.split(";", 2)[0].strip().equalsIgnoreCase("application/json")
        && Collections.list(request.getHeaders("Content-Encoding")).stream()
            .allMatch("identity"::equalsIgnoreCase);
  }

  private static Optional<Map<String, String>> object(String text) throws CharacterCodingException {
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), text)) {
      Map<String, String> members = null;
      if (next(json) == JsonToken.START_OBJECT) {
        members = new HashMap<>();
        while (next(json) != JsonToken.END_OBJECT) {
          String name = json.currentName();
          JsonToken value = next(json);
          members.put(name, value == JsonToken.VALUE_STRING ? json.getString() : null);
          readToEndOf(value, json);
        }
      } else {
        readToEndOf(json.currentToken(), json);
      }
      if (json.nextToken() != null) {
        throw new CharacterCodingException();
      }
      return Optional.ofNullable(members);
    }
  }

  private static void readToEndOf(JsonToken value, JsonParser json)
      throws CharacterCodingException {
    int depth = value.isStructStart() ? 1 : 0;
    while (depth > 0) {
      JsonToken token = next(json);
      depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
    }
  }

  private static JsonToken next(JsonParser json) throws CharacterCodingException {
    JsonToken token = json.nextToken();
    if (token == null) {
      throw new CharacterCodingException();
    }
    // To the parser, half of an escaped surrogate pair is well-formed.
    if ((token == JsonToken.PROPERTY_NAME || token == JsonToken.VALUE_STRING)
        && !StandardCharsets.UTF_8.newEncoder().canEncode(json.getString())) {
      throw new CharacterCodingException();
    }
    return token;
  }
}
