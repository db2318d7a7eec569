package org.samewire.shortener;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NewLinkTest {
  @ParameterizedTest
  @ValueSource(strings = {"http://a.example/?q#f", "HTTPS://a.example:8443", "http://1.2.3.4"})
  void urlsToRedirectTo(String url) throws IOException {
    assertEquals(url, from("{\"url\":\"" + url + "\"}").url());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
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
  void bodiesThatAreRefused(String json) throws IOException {
    assertNull(from(json));
  }

  @Test
  void longestUrl() throws IOException {
    String url = "http://a.example/" + "a".repeat(2048 - "http://a.example/".length());
    assertEquals(url, from("{\"url\":\"" + url + "\"}").url());
    assertNull(from("{\"url\":\"" + url + "a\"}"));
  }

  private static NewLink from(String json) throws IOException {
    return NewLink.from(json.getBytes(UTF_8));
  }
}
