package org.samewire.raytracer;

import java.util.Map;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Not actuator's health: it reads a body into memory, also one of GET, however long it is. */
@RestController
class HealthController {
  @GetMapping(path = "/healthz", produces = MediaType.APPLICATION_JSON_VALUE)
  Map<String, String> health() {
    return Map.of("status", "UP");
  }
}
