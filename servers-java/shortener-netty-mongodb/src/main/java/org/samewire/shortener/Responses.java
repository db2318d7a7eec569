package org.samewire.shortener;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
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
  private static final byte[] NO_BODY = {};
  private static final byte[] HEALTHY = "{\"status\":\"ok\"}".getBytes(US_ASCII);
  private static final AsciiString PROBLEM_JSON = AsciiString.cached("application/problem+json");

  /** The Date header, formatted once a second. */
  private record Stamp(long second, AsciiString text) {}

  private static volatile Stamp stamp = new Stamp(0, AsciiString.EMPTY_STRING);

  private Responses() {}

  static FullHttpResponse healthy() {
    return withBody(HttpResponseStatus.OK, HttpHeaderValues.APPLICATION_JSON, HEALTHY);
  }

  static FullHttpResponse movedTo(String url) {
    FullHttpResponse response = empty(HttpResponseStatus.MOVED_PERMANENTLY);
    response.headers().set(HttpHeaderNames.LOCATION, url);
    return response;
  }

  static FullHttpResponse notFound() {
    return empty(HttpResponseStatus.NOT_FOUND);
  }

  static FullHttpResponse link(String hash, String url) {
    return link(HttpResponseStatus.OK, hash, url);
  }

  static FullHttpResponse created(String hash, String url) {
    FullHttpResponse response = link(HttpResponseStatus.CREATED, hash, url);
    response.headers().set(HttpHeaderNames.LOCATION, "/" + hash);
    return response;
  }

  static FullHttpResponse notAllowed(String allowed) {
    FullHttpResponse response = problem(Problem.METHOD_NOT_ALLOWED);
    response.headers().set(HttpHeaderNames.ALLOW, allowed);
    return response;
  }

  static FullHttpResponse problem(Problem problem) {
    FullHttpResponse response = withBody(problem.status(), PROBLEM_JSON, problem.body());
    if (problem == Problem.DATABASE_AWAY) {
      response.headers().set(HttpHeaderNames.RETRY_AFTER, "1");
    }
    return response;
  }

  /** For what is not HTTP as a server may take it: nothing after it can be trusted. */
  static FullHttpResponse malformed(HttpResponseStatus status) {
    FullHttpResponse response = empty(status);
    response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    return response;
  }

  private static FullHttpResponse link(HttpResponseStatus status, String hash, String url) {
    String escaped = new String(JsonStringEncoder.getInstance().quoteAsString(url));
    byte[] body = "{\"hash\":\"%s\",\"url\":\"%s\"}".formatted(hash, escaped).getBytes(UTF_8);
    return withBody(status, HttpHeaderValues.APPLICATION_JSON, body);
  }

  private static FullHttpResponse withBody(
      HttpResponseStatus status, AsciiString type, byte[] body) {
    FullHttpResponse response = response(status, body);
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
    return response;
  }

  private static FullHttpResponse empty(HttpResponseStatus status) {
    return response(status, NO_BODY);
  }

  private static FullHttpResponse response(HttpResponseStatus status, byte[] body) {
    var response =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(body));
    response
        .headers()
        .set(HttpHeaderNames.DATE, date())
        .setInt(HttpHeaderNames.CONTENT_LENGTH, body.length);
    return response;
  }

  private static AsciiString date() {
    long second = System.currentTimeMillis() / 1000;
    Stamp current = stamp;
    if (current.second != second) {
      current = new Stamp(second, AsciiString.of(DateFormatter.format(new Date(second * 1000))));
      stamp = current;
    }
    return current.text;
  }
}
