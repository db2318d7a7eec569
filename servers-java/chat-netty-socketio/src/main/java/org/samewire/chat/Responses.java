package org.samewire.chat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.DateFormatter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Date;

/** Answers over HTTP. */
final class Responses {
  private static final ObjectMapper JSON = new ObjectMapper();

  private record Problem(String title, int status, String detail) {}

  private Responses() {}

  static FullHttpResponse json(HttpResponseStatus status, Object value) {
    try {
      return content(status, "application/json", JSON.writeValueAsBytes(value));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  static FullHttpResponse problem(HttpResponseStatus status, String detail) {
    FullHttpResponse response =
        json(status, new Problem(status.reasonPhrase(), status.code(), detail));
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/problem+json");
    return response;
  }

  static FullHttpResponse notAllowed(String allowed) {
    FullHttpResponse response =
        problem(HttpResponseStatus.METHOD_NOT_ALLOWED, "Use one of these methods: " + allowed);
    response.headers().set(HttpHeaderNames.ALLOW, allowed);
    return response;
  }

  /** For what cannot be read as HTTP. What follows it cannot be trusted. */
  static FullHttpResponse malformed(HttpResponseStatus status) {
    FullHttpResponse response = response(status);
    response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    return response;
  }

  static FullHttpResponse content(HttpResponseStatus status, String type, byte... body) {
    FullHttpResponse response = response(status, body);
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
    return response;
  }

  private static FullHttpResponse response(HttpResponseStatus status, byte... body) {
    var response =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(body));
    response
        .headers()
        .set(HttpHeaderNames.DATE, DateFormatter.format(new Date()))
        .setInt(HttpHeaderNames.CONTENT_LENGTH, body.length);
    return response;
  }
}
