package org.samewire.shortener;

import static io.netty.handler.codec.http.HttpResponseStatus.BAD_REQUEST;
import static io.netty.handler.codec.http.HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.netty.buffer.ByteBufInputStream;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpUtil;
import java.io.IOException;
import java.io.InputStream;
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

  static NewLink from(FullHttpRequest request) {
    if (!HttpHeaderValues.APPLICATION_JSON.contentEqualsIgnoreCase(HttpUtil.getMimeType(request))) {
      throw new ProblemException(UNSUPPORTED_MEDIA_TYPE, "Content-Type must be application/json.");
    }
    try (InputStream body = new ByteBufInputStream(request.content())) {
      NewLink link = JSON.readValue(body);
      if (link != null) {
        return link;
      }
    } catch (IOException e) {
      // The same answer as to the word null.
    }
    throw new ProblemException(
        BAD_REQUEST,
        "Body must be {\"url\": an absolute http or https URL of at most 2,048 characters}.");
  }
}
