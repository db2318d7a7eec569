package org.samewire.shortener;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.DateFormatter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AsciiString;
import java.io.UncheckedIOException;
import java.util.Date;

/** The answers. */
final class Responses {
  private static final JsonMapper JSON = new JsonMapper();

  private static volatile CharSequence date = now();

  /** RFC 9457. */
  private record Problem(String title, int status, String detail) {}

  private Responses() {}

  /** To be called once a second: a Date is not made for each answer. */
  static void tick() {
    date = now();
  }

  private static CharSequence now() {
    return AsciiString.of(DateFormatter.format(new Date()));
  }

  static FullHttpResponse movedTo(String url) {
    FullHttpResponse response = empty(HttpResponseStatus.MOVED_PERMANENTLY);
    response.headers().set(HttpHeaderNames.LOCATION, url);
    return response;
  }

  static FullHttpResponse created(Link link) {
    FullHttpResponse response = json(HttpResponseStatus.CREATED, link);
    response.headers().set(HttpHeaderNames.LOCATION, "/" + link.hash());
    return response;
  }

  static FullHttpResponse notAllowed(String allowed) {
    FullHttpResponse response =
        problem(HttpResponseStatus.METHOD_NOT_ALLOWED, "Use one of these methods: " + allowed);
    response.headers().set(HttpHeaderNames.ALLOW, allowed);
    return response;
  }

  static FullHttpResponse problem(HttpResponseStatus status, String detail) {
    var problem = new Problem(status.reasonPhrase(), status.code(), detail);
    FullHttpResponse response = json(status, problem);
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/problem+json");
    return response;
  }

  static FullHttpResponse json(HttpResponseStatus status, Object value) {
    try {
      FullHttpResponse response = response(status, JSON.writeValueAsBytes(value));
      response.headers().set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_JSON);
      return response;
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  static FullHttpResponse empty(HttpResponseStatus status) {
    return response(status);
  }

  private static FullHttpResponse response(HttpResponseStatus status, byte... body) {
    var response =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(body));
    response
        .headers()
        .set(HttpHeaderNames.DATE, date)
        .setInt(HttpHeaderNames.CONTENT_LENGTH, body.length);
    return response;
  }
}
