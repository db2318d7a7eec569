package org.samewire.chat;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** A message as a client posts it. */
record MessageBody(String user, String text) {
  private static final String USER = "user";
  private static final String TEXT = "text";

  static MessageBody read(ByteBuf body) throws ProblemException {
    Map<String, String> members;
    try {
      members = members(body);
    } catch (IOException e) {
      throw new ProblemException(HttpResponseStatus.BAD_REQUEST, "Request body is not valid JSON.");
    }
    if (members == null) {
      throw broken("Request body must be an object.");
    }
    var unknown =
        members.keySet().stream()
            .filter(name -> !name.equals(USER) && !name.equals(TEXT))
            .min(CodePoints.ORDER);
    if (unknown.isPresent()) {
      throw broken("Unknown member: " + unknown.get() + ".");
    }
    if (!Rules.isUser(members.get(USER))) {
      throw broken(Rules.USER);
    }
    if (!Rules.isText(members.get(TEXT))) {
      throw broken(Rules.TEXT);
    }
    return new MessageBody(members.get(USER), members.get(TEXT));
  }

  private static ProblemException broken(String rule) {
    return new ProblemException(HttpResponseStatus.BAD_REQUEST, rule);
  }

  /**
   * The members of an object, null if it is none: strings as they are, every other value as null.
   * The document is read to its end before any rule is looked at.
   */
  private static Map<String, String> members(ByteBuf body) throws IOException {
    String text = StandardCharsets.UTF_8.newDecoder().decode(body.nioBuffer()).toString();
    try (JsonParser json = Json.FACTORY.createParser(text)) {
      Map<String, String> members = null;
      if (next(json) == JsonToken.START_OBJECT) {
        members = new HashMap<>();
        while (next(json) != JsonToken.END_OBJECT) {
          String name = json.currentName();
          JsonToken value = next(json);
          members.put(name, value == JsonToken.VALUE_STRING ? json.getText() : null);
          readToEndOf(value, json);
        }
      } else {
        readToEndOf(json.currentToken(), json);
      }
      if (json.nextToken() != null) {
        throw new IOException("more than one value");
      }
      return members;
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
