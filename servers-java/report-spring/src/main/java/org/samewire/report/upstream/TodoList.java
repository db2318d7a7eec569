package org.samewire.report.upstream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the todo server's list as strictly as the contract asks. */
final class TodoList {
  private static final JsonFactory JSON =
      JsonFactory.builder()
          // Names come from elsewhere: they must not fill a table of symbols.
          .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(64).build())
          .build();

  private static final JsonMapper MAPPER = new JsonMapper(JSON);

  private TodoList() {}

  /** The items. Throws an exception if the body is not what it should be. */
  static List<Todo> parse(byte[] body) throws IOException {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
      check(text);
      JsonNode items = MAPPER.readTree(text).path("items");
      if (!items.isArray()) {
        throw new IOException("no list of items");
      }
      List<Todo> todos = new ArrayList<>(items.size());
      for (JsonNode item : items) {
        todos.add(todo(item));
      }
      return todos;
    } catch (JacksonException e) {
      throw new IOException("malformed JSON", e);
    }
  }

  private static Todo todo(JsonNode item) throws IOException {
    JsonNode id = item.path("id");
    JsonNode title = item.path("title");
    JsonNode completed = item.path("completed");
    if (!id.isIntegralNumber()
        || !id.canConvertToLong()
        || id.longValue() < 1
        || !title.isString()
        || !completed.isBoolean()) {
      throw new IOException("an item of another shape");
    }
    return new Todo(id.longValue(), title.stringValue(), completed.booleanValue());
  }

  /** What the tree does not show: text after the value, and half a surrogate pair in any string. */
  private static void check(String text) throws IOException {
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), text)) {
      int depth = 0;
      do {
        JsonToken token = json.nextToken();
        if (token == null) {
          throw new IOException("no value");
        }
        if ((token == JsonToken.PROPERTY_NAME || token == JsonToken.VALUE_STRING)
            && !StandardCharsets.UTF_8.newEncoder().canEncode(json.getString())) {
          throw new CharacterCodingException();
        }
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
      } while (depth > 0);
      if (json.nextToken() != null) {
        throw new IOException("more than one value");
      }
    }
  }
}
