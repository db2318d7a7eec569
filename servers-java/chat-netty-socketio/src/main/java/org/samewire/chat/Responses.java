package org.samewire.chat;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.DateFormatter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AsciiString;
import java.util.Date;

/** The answers of the contract. */
final class Responses {
  private static final AsciiString PROBLEM_JSON = AsciiString.cached("application/problem+json");

  private Responses() {}

  static FullHttpResponse json(HttpResponseStatus status, Object value) {
    return content(status, HttpHeaderValues.APPLICATION_JSON, Json.bytes(value));
  }

  static FullHttpResponse problem(HttpResponseStatus status, String detail) {
    return content(status, PROBLEM_JSON, Json.bytes(new Problem(status, detail)));
  }

  static FullHttpResponse notAllowed(String allowed) {
    FullHttpResponse response =
        problem(HttpResponseStatus.METHOD_NOT_ALLOWED, "Method not allowed.");
    response.headers().set(HttpHeaderNames.ALLOW, allowed);
    return response;
  }

  static FullHttpResponse content(HttpResponseStatus status, CharSequence type, byte[] body) {
    FullHttpResponse response = response(status, body);
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
    return response;
  }

  /** For what is not HTTP as a server may take it: nothing after it can be trusted. */
  static FullHttpResponse malformed(HttpResponseStatus status) {
    FullHttpResponse response = response(status, new byte[0]);
    response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    return response;
  }

  private static FullHttpResponse response(HttpResponseStatus status, byte[] body) {
    var response =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(body));
    response
        .headers()
        .set(HttpHeaderNames.DATE, DateFormatter.format(new Date()))
        .setInt(HttpHeaderNames.CONTENT_LENGTH, body.length);
    return response;
  }
}
