package org.samewire.chat.page;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import org.springframework.core.io.ClassPathResource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/**
 * The page and what it loads: a few small files, kept in memory. Spring's static files come with
 * fields for caches and ranges, its message converters with a file name to save them under.
 */
@RestController
class PageController {
  private static final String HTML = "text/html; charset=utf-8";
  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String STYLE = "text/css; charset=utf-8";
  private static final String SVG = "image/svg+xml";

  private static final String POLICY =
      "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private record Content(String type, byte[] bytes) {}

  private final Content page = load(HTML, "index.html");
  private final Map<String, Content> assets =
      Map.of(
          "chat.js", load(SCRIPT, "assets/chat.js"),
          "room.js", load(SCRIPT, "assets/room.js"),
          "socket.io.js", load(SCRIPT, "assets/socket.io.js"),
          "chat.css", load(STYLE, "assets/chat.css"),
          "icon.svg", load(SVG, "assets/icon.svg"));

  PageController() throws IOException {}

  @GetMapping("/")
  void page(HttpServletResponse response) throws IOException {
    response.setHeader("Content-Security-Policy", POLICY);
    write(page, response);
  }

  /** Another name is no path at all, whatever the method. */
  @GetMapping("/assets/{name:chat\\.js|room\\.js|socket\\.io\\.js|chat\\.css|icon\\.svg}")
  void asset(@PathVariable String name, HttpServletResponse response) throws IOException {
    write(assets.get(name), response);
  }

  private static void write(Content content, HttpServletResponse response) throws IOException {
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setContentType(content.type());
    response.setContentLength(content.bytes().length);
    response.getOutputStream().write(content.bytes());
  }

  private static Content load(String type, String name) throws IOException {
    return new Content(type, new ClassPathResource("page/" + name).getContentAsByteArray());
  }
}
