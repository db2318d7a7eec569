package org.samewire.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;

class ReportPropertiesTest {
  @EnableConfigurationProperties(ReportProperties.class)
  static class Configuration {}

  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(ValidationAutoConfiguration.class))
          .withUserConfiguration(Configuration.class)
          .withPropertyValues(
              "port=8080", "todo-url=http://todo.example:8081/", "raytracer-url=http://[::1]");

  @Test
  void defaults() {
    application.run(
        context -> {
          ReportProperties properties = context.getBean(ReportProperties.class);
          assertThat(properties.host()).isEqualTo("127.0.0.1");
          assertThat(properties.upstreamTimeout()).isEqualTo(Duration.ofMinutes(1));
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "host=",
        "port=",
        "port=0",
        "port=65536",
        "todo-url=",
        "todo-url=nonsense",
        "todo-url=http://",
        "todo-url=http://todo/todos",
        "todo-url=http://me@todo",
        "todo-url=http://my_host",
        "todo-url=http://todo:65536",
        "raytracer-url=ftp://127.0.0.1:1",
        "raytracer-url=http://raytracer:0",
        "upstream-timeout-ms=",
        "upstream-timeout-ms=0",
        "upstream-timeout-ms=12x",
      })
  void unusable(String property) {
    application.withPropertyValues(property).run(context -> assertThat(context).hasFailed());
  }
}
