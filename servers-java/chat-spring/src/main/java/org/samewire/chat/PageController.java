package org.samewire.chat;

import java.nio.charset.StandardCharsets;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.io.Resource;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The page. Spring serves its files, in static/assets, by itself. */
@RestController
class PageController {
  private static final MediaType HTML = new MediaType("text", "html", StandardCharsets.UTF_8);
  private static final String POLICY =
      "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private final Resource page;

  PageController(@Value("classpath:index.html") Resource page) {
    this.page = page;
  }

  @GetMapping("/")
  ResponseEntity<Resource> page() {
    return ResponseEntity.ok()
        .header("Content-Security-Policy", POLICY)
        .contentType(HTML)
        .body(page);
  }
}
