package org.samewire.shortener;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NewLinkTest {
  @ParameterizedTest
  @ValueSource(strings = {"http://a.example/?q#f", "HTTPS://a.example:8443", "http://1.2.3.4"})
  void urlsToRedirectTo(String url) {
    assertEquals(url, NewLink.from(request("{\"url\":\"" + url + "\"}")).url());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "{",
        "{}",
        "{\"url\":null}",
        "{\"url\":5}",
        "{\"url\":\"ftp://a.example\"}",
        "{\"url\":\"/a\"}",
        "{\"url\":\" http://a.example/\"}",
        "{\"url\":\"http://a.example/\\r\\nX: y\"}",
        "{\"url\":\"http://a.example/\\r\\n\"}",
        "{\"url\":\"http://a.example/\\u00e9\"}",
        "{\"url\":\"http://a.example/\\ud800\"}",
        "{\"url\":\"http://a.example/\"} {}"
      })
  void bodiesThatAreRefused(String json) {
    assertRefused(400, request(json));
  }

  @Test
  void longestUrl() {
    String url = "http://a.example/" + "a".repeat(2048 - "http://a.example/".length());
    assertEquals(url, NewLink.from(request("{\"url\":\"" + url + "\"}")).url());
    assertRefused(400, request("{\"url\":\"" + url + "a\"}"));
  }

  @Test
  void otherMediaTypes() {
    FullHttpRequest request = request("{\"url\":\"http://a.example/\"}");
    request.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/plain");
    assertRefused(415, request);
    request.headers().remove(HttpHeaderNames.CONTENT_TYPE);
    assertRefused(415, request);
  }

  private static void assertRefused(int status, FullHttpRequest request) {
    var refusal = assertThrows(ProblemException.class, () -> NewLink.from(request));
    assertEquals(status, refusal.status().code());
  }

  private static FullHttpRequest request(String json) {
    var request =
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1, HttpMethod.POST, "/links", Unpooled.copiedBuffer(json, UTF_8));
    request.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/json; charset=utf-8");
    return request;
  }
}
