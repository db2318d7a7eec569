package org.samewire.shortener;

import com.fasterxml.jackson.core.JsonParser;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.jackson.DatabindCodec;
import io.vertx.ext.web.RequestBody;
import io.vertx.ext.web.handler.HttpException;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** The body of {@code POST /links}. */
record NewLink(String url) {
  private static final int MAX_URL = 2048;

  static {
    // Vert.x takes them.
    DatabindCodec.mapper().disable(JsonParser.Feature.ALLOW_COMMENTS);
  }

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

  static NewLink from(RequestBody body) {
    try {
      NewLink link = body.asPojo(NewLink.class);
      if (link != null) {
        return link;
      }
    } catch (DecodeException e) {
      // The same answer as to the word null.
    }
    throw new HttpException(
        400, "Body must be {\"url\": an absolute http or https URL of at most 2,048 characters}.");
  }
}
