package org.samewire.shortener;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.regex.Pattern;

/** What {@code POST /links} takes, and the hash it gives. */
final class NewLink {
  private static final JsonFactory JSON =
      JsonFactory.builder()
          // Names come from clients: they must not fill a table of symbols.
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(64).build())
          .build();

  private static final Pattern URL =
      Pattern.compile("(?i:https?)://[A-Za-z0-9._-]+(:[0-9]{1,5})?([/?#][!-~]*)?");
  private static final int MAX_URL = 2048;

  private static final String ALPHABET =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final SecureRandom RANDOM = new SecureRandom();

  private NewLink() {}

  /** The body's {@code url}, or the problem with the body. */
  static String url(ByteBuf body) throws ProblemException {
    String url;
    try {
      url = onlyMember(body);
    } catch (IOException e) {
      throw new ProblemException(Problem.INVALID_JSON);
    }
    if (url == null || url.length() > MAX_URL || !URL.matcher(url).matches()) {
      throw new ProblemException(Problem.INVALID_URL);
    }
    return url;
  }

  static String freshHash() {
    return RANDOM
        .ints(6, 0, ALPHABET.length())
        .collect(
            StringBuilder::new,
            (hash, index) -> hash.append(ALPHABET.charAt(index)),
            StringBuilder::append)
        .toString();
  }

  /**
   * The value of the one member {@code url}, null if it is no string. The document is read to its
   * end before any rule is looked at: JSON that is malformed anywhere counts for more.
   */
  private static String onlyMember(ByteBuf body) throws IOException, ProblemException {
    String text = StandardCharsets.UTF_8.newDecoder().decode(body.nioBuffer()).toString();
    try (JsonParser json = JSON.createParser(text)) {
      boolean found = false;
      boolean others = false;
      String url = null;
      if (next(json) == JsonToken.START_OBJECT) {
        while (next(json) != JsonToken.END_OBJECT) {
          boolean isUrl = json.currentName().equals("url");
          JsonToken value = next(json);
          if (isUrl) {
            found = true;
            url = value == JsonToken.VALUE_STRING ? json.getText() : null;
          } else {
            others = true;
          }
          readToEndOf(value, json);
        }
      } else {
        readToEndOf(json.currentToken(), json);
      }
      if (json.nextToken() != null) {
        throw new IOException("more than one value");
      }
      if (!found || others) {
        throw new ProblemException(Problem.NOT_ONE_MEMBER);
      }
      return url;
    }
  }

  private static void readToEndOf(JsonToken value, JsonParser json) throws IOException {
    int depth = value.isStructStart() ? 1 : 0;
    while (depth > 0) {
      JsonToken token = next(json);
      depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
    }
  }

  private static JsonToken next(JsonParser json) throws IOException {
    JsonToken token = json.nextToken();
    if (token == null) {
      throw new IOException("no value");
    }
    // To the parser, half of an escaped surrogate pair is well-formed.
    if ((token == JsonToken.FIELD_NAME || token == JsonToken.VALUE_STRING)
        && !StandardCharsets.UTF_8.newEncoder().canEncode(json.getText())) {
      throw new CharacterCodingException();
    }
    return token;
  }
}
