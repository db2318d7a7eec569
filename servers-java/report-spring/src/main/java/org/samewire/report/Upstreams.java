package org.samewire.report;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;
import tools.jackson.databind.json.JsonMapper;

/** The two servers that a report is made of. */
@Component
class Upstreams {
  private final Upstream<TodoList> todo;
  private final Upstream<byte[]> raytracer;

  Upstreams(RestClient client, ReportProperties properties, JsonMapper json) {
    URI todos = URI.create(properties.todoUrl()).resolve("/todos?limit=100");
    URI picture =
        URI.create(properties.raytracerUrl()).resolve("/render?width=320&height=240&depth=3");
    todo =
        new Upstream<>(
            client,
            todos,
            MediaType.APPLICATION_JSON,
            1024 * 1024,
            // What is no UTF-8 becomes U+FFFD. Jackson would take some of it for other characters.
            body -> json.readValue(new String(body, StandardCharsets.UTF_8), TodoList.class));
    raytracer =
        new Upstream<>(client, picture, MediaType.IMAGE_PNG, 16 * 1024 * 1024, body -> body);
  }

  TodoList todos() {
    return todo.get();
  }

  byte[] picture() {
    return raytracer.get();
  }
}
