package org.samewire.shortener;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** The body of {@code POST /links}. */
record NewLink(String url) {
  private static final int MAX_URL = 2048;

  private static final ObjectReader JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build()
          .readerFor(NewLink.class);

  NewLink {
    URI uri = URI.create(url);
    String scheme = String.valueOf(uri.getScheme());
    // java.net.URI takes letters beyond ASCII, too. A Location field cannot hold them.
    if (!scheme.equalsIgnoreCase("http") && !scheme.equalsIgnoreCase("https")
        || uri.getHost() == null
        || url.length() > MAX_URL
        || !StandardCharsets.US_ASCII.newEncoder().canEncode(url)) {
      throw new IllegalArgumentException("no URL to redirect to");
    }
  }

  /** The link that a client asks for, or null if the body is none. */
  static NewLink from(byte[] body) throws IOException {
    try {
      // Of the word null this makes null.
      return JSON.readValue(body);
    } catch (JsonProcessingException e) {
      return null;
    }
  }
}
