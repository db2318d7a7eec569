package org.samewire.chat;

import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;

/** The page and what it loads: a few small files, kept in memory. */
final class Page {
  private static final String HTML = "text/html; charset=utf-8";
  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String STYLE = "text/css; charset=utf-8";
  private static final String SVG = "image/svg+xml";

  private static final String POLICY =
      "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private record Content(String type, byte[] bytes) {}

  private final Map<String, Content> contents = new HashMap<>();

  Page() throws IOException {
    load("/", HTML, "index.html");
    load("/assets/chat.js", SCRIPT, "assets/chat.js");
    load("/assets/room.js", SCRIPT, "assets/room.js");
    load("/assets/socket.io.js", SCRIPT, "assets/socket.io.js");
    load("/assets/chat.css", STYLE, "assets/chat.css");
    load("/assets/icon.svg", SVG, "assets/icon.svg");
  }

  private void load(String path, String type, String name) throws IOException {
    try (InputStream file = Page.class.getResourceAsStream("/page/" + name)) {
      if (file == null) {
        throw new FileNotFoundException(name);
      }
      contents.put(path, new Content(type, file.readAllBytes()));
    }
  }

  boolean has(String path) {
    return contents.containsKey(path);
  }

  FullHttpResponse get(String path) {
    Content content = contents.get(path);
    FullHttpResponse response =
        Responses.content(HttpResponseStatus.OK, content.type(), content.bytes());
    response.headers().set("X-Content-Type-Options", "nosniff");
    if (path.equals("/")) {
      response.headers().set("Content-Security-Policy", POLICY);
    }
    return response;
  }
}
