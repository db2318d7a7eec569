package org.samewire.chat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** How this server reads and writes JSON. */
final class Json {
  static final JsonFactory FACTORY =
      JsonFactory.builder()
          // Names come from clients: they must not fill a table of symbols.
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .disable(JsonWriteFeature.WRITE_HEX_UPPER_CASE)
          .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(64)
                  .maxNameLength(RequestAggregator.MAX_BODY)
                  .maxNumberLength(RequestAggregator.MAX_BODY)
                  .build())
          .build();

  static final JsonMapper MAPPER = new JsonMapper(FACTORY);

  private Json() {}

  static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
