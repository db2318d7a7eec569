package org.samewire.chat;

import com.corundumstudio.socketio.AckCallback;
import com.corundumstudio.socketio.protocol.AckArgs;
import com.corundumstudio.socketio.protocol.AuthPacket;
import com.corundumstudio.socketio.protocol.ConnPacket;
import com.corundumstudio.socketio.protocol.Event;
import com.corundumstudio.socketio.protocol.JsonSupport;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.ByteBufOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * How the library reads and writes JSON. Its own reading fails where an argument is not of the type
 * that its listener declares; here whatever is no string is null, which the rules refuse.
 */
final class ChatJson implements JsonSupport {

  /** The library leaves the last member out. */
  record Open(UUID sid, String[] upgrades, int pingInterval, int pingTimeout, int maxPayload) {}

  /** An event may be as deep as a packet can hold. */
  private static final JsonFactory DEEP =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(RequestAggregator.MAX_BODY)
                  .maxNameLength(RequestAggregator.MAX_BODY)
                  .maxNumberLength(RequestAggregator.MAX_BODY)
                  .build())
          .build();

  @Override
  public <T> T readValue(String namespace, ByteBufInputStream from, Class<T> type)
      throws IOException {
    if (type != Event.class) {
      return Json.MAPPER.readValue((InputStream) from, type);
    }
    return type.cast(event(from));
  }

  /** The name of an event and its first argument. */
  private static Event event(InputStream from) throws IOException {
    try (JsonParser json = DEEP.createParser(from)) {
      if (json.nextToken() != JsonToken.START_ARRAY || json.nextToken() != JsonToken.VALUE_STRING) {
        throw new IOException("not an event");
      }
      String name = json.getText();
      boolean is = json.nextToken() == JsonToken.VALUE_STRING;
      var event = new Event(name, Arrays.asList(is ? json.getText() : null));
      // What is left would be taken for the next packet.
      from.skipNBytes(from.available());
      return event;
    }
  }

  /**
   * The name of an event, or of what has none an empty one. Throws if it is no list, or no JSON.
   */
  static String nameIn(String list) throws IOException {
    try (JsonParser json = DEEP.createParser(list)) {
      json.nextToken();
      JsonToken first = json.nextToken();
      String name = first == JsonToken.VALUE_STRING ? json.getText() : null;
      while (json.currentToken() != JsonToken.END_ARRAY) {
        if (json.skipChildren().nextToken() == null) {
          throw new IOException("a list without an end");
        }
      }
      if (json.nextToken() != null) {
        throw new IOException("more than one value");
      }
      return name;
    }
  }

  /** Whether all that stands for attachments stands for one of so many. */
  static boolean hasPlacesFor(int attachments, String list) throws IOException {
    for (JsonNode place : Json.MAPPER.readTree(list).findParents("_placeholder")) {
      JsonNode number = place.get("num");
      if (number == null
          || !number.isInt()
          || number.intValue() < 0
          || number.intValue() >= attachments) {
        return false;
      }
    }
    return true;
  }

  /** Nobody is asked for acknowledgements. */
  @Override
  public AckArgs readAckArgs(ByteBufInputStream from, AckCallback<?> callback) {
    return new AckArgs(List.of());
  }

  @Override
  public void writeValue(ByteBufOutputStream to, Object value) throws IOException {
    Json.MAPPER.writeValue((OutputStream) to, complete(value));
  }

  private static Object complete(Object value) {
    if (value instanceof AuthPacket open) {
      return new Open(
          open.getSid(),
          open.getUpgrades(),
          open.getPingInterval(),
          open.getPingTimeout(),
          RequestAggregator.MAX_BODY);
    }
    if (value instanceof ConnPacket) {
      // The library gives the session's own id away, which is a secret.
      return Map.of("sid", UUID.randomUUID());
    }
    // Why a namespace is refused.
    return value instanceof String message ? Map.of("message", message) : value;
  }

  @Override
  public void addEventMapping(String namespace, String event, Class<?>... types) {}

  @Override
  public void removeEventMapping(String namespace, String event) {}

  /** Nothing binary is sent. */
  @Override
  public List<byte[]> getArrays() {
    return List.of();
  }
}
