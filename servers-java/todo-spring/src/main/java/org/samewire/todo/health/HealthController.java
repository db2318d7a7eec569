package org.samewire.todo.health;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Healthy once the database answers; its exception, if it does not, becomes a 503. */
@RestController
class HealthController {
  record Health(String status) {}

  private final JdbcClient jdbc;

  HealthController(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  @GetMapping("/healthz")
  Health health() {
    jdbc.sql("select 1").query(Integer.class).single();
    return new Health("ok");
  }
}
