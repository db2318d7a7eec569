package org.samewire.todo;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.ReactiveHealthIndicator;
import org.springframework.boot.http.codec.CodecCustomizer;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.dao.DataAccessException;
import reactor.core.publisher.Mono;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.json.JsonMapper;

@SpringBootApplication
@ConfigurationPropertiesScan
class TodoApplication {

  public static void main(String[] args) {
    SpringApplication.run(TodoApplication.class, args);
  }

  /** Jackson takes {@code 5} for a title and {@code "true"} for a boolean if it is not told. */
  @Bean
  JsonMapperBuilderCustomizer strictTypes() {
    return json ->
        json.withCoercionConfigDefaults(
            types -> {
              for (CoercionInputShape shape : CoercionInputShape.values()) {
                types.setCoercion(shape, CoercionAction.Fail);
              }
            });
  }

  @Bean
  CodecCustomizer bodyLimit(JsonMapper json) {
    return codecs -> codecs.defaultCodecs().jacksonJsonDecoder(new BodyLimit(json));
  }

  /** Boot's own looks for an answer of the database without a time-out. */
  @Bean
  ReactiveHealthIndicator databaseHealthIndicator(TodoRepository todos) {
    return () ->
        todos
            .ping()
            .thenReturn(Health.up().build())
            .onErrorResume(DataAccessException.class, e -> Mono.just(Health.down().build()));
  }
}
