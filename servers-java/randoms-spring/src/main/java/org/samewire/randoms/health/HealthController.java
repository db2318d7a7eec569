package org.samewire.randoms.health;

import static java.nio.charset.StandardCharsets.US_ASCII;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Healthy as long as it answers. */
@RestController
class HealthController {
  private static final byte[] HEALTHY = "{\"status\":\"ok\"}".getBytes(US_ASCII);

  @GetMapping("/healthz")
  ResponseEntity<byte[]> health() {
    return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(HEALTHY);
  }
}
