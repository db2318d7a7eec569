package org.samewire.chat;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.boot.task.ThreadPoolTaskExecutorCustomizer;
import org.springframework.boot.web.server.context.WebServerGracefulShutdownLifecycle;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;

/** Without Boot's page for errors: a client that asks for {@code /error} would be given a 500. */
@SpringBootApplication(exclude = ErrorMvcAutoConfiguration.class)
@ConfigurationPropertiesScan
class ChatApplication {

  public static void main(String[] args) {
    SpringApplication.run(ChatApplication.class, args);
  }

  /** Those who write streams get the same time at a stop as requests, and not one before it. */
  @Bean
  ThreadPoolTaskExecutorCustomizer endWithRequests() {
    return executor -> executor.setPhase(WebServerGracefulShutdownLifecycle.SMART_LIFECYCLE_PHASE);
  }

  /** Jackson takes {@code 5} for a text if it is not told. */
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
}
