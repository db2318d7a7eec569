package org.samewire.chat;

import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/** The page and its files, from the jar. */
final class Page {
  private static final Map<String, String> TYPES =
      Map.of(
          "/", "text/html; charset=utf-8",
          "/assets/chat.css", "text/css; charset=utf-8",
          "/assets/chat.js", "text/javascript; charset=utf-8",
          "/assets/lines.js", "text/javascript; charset=utf-8",
          "/assets/room.js", "text/javascript; charset=utf-8",
          "/assets/socket.io.js", "text/javascript; charset=utf-8",
          "/assets/websocket.js", "text/javascript; charset=utf-8",
          "/assets/icon.svg", "image/svg+xml");

  private Page() {}

  static boolean has(String path) {
    return TYPES.containsKey(path);
  }

  static FullHttpResponse get(String path) throws IOException {
    String name = "/page" + (path.equals("/") ? "/index.html" : path);
    try (InputStream file = Page.class.getResourceAsStream(name)) {
      FullHttpResponse response =
          Responses.content(HttpResponseStatus.OK, TYPES.get(path), file.readAllBytes());
      response
          .headers()
          .set("X-Content-Type-Options", "nosniff")
          .set(
              "Content-Security-Policy",
              "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
      return response;
    }
  }
}
