package org.samewire.todo;

import static org.assertj.core.api.Assertions.assertThat;

import io.r2dbc.spi.ConnectionFactoryOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;

class TodoPropertiesTest {
  @EnableConfigurationProperties(TodoProperties.class)
  static class Configuration {}

  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(ValidationAutoConfiguration.class))
          .withUserConfiguration(Configuration.class)
          .withPropertyValues(
              "host=127.0.0.1", "port=8080", "postgres-url=postgres://me:p%40ss@db:5433/todo");

  @Test
  void parts() {
    application.run(
        context -> {
          ConnectionFactoryOptions options = context.getBean(TodoProperties.class).database();
          assertThat(options.getValue(ConnectionFactoryOptions.HOST)).isEqualTo("db");
          assertThat(options.getValue(ConnectionFactoryOptions.PORT)).isEqualTo(5433);
          assertThat(options.getValue(ConnectionFactoryOptions.DATABASE)).isEqualTo("todo");
          assertThat(options.getValue(ConnectionFactoryOptions.USER)).isEqualTo("me");
          assertThat(options.getValue(ConnectionFactoryOptions.PASSWORD)).hasToString("p@ss");
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "host=",
        "port=",
        "port=0",
        "port=-1",
        "port=65536",
        "postgres-url=",
        "postgres-url=http://me:secret@db/todo",
        "postgres-url=postgres://db/todo",
        "postgres-url=postgres://me:secret@db",
        "postgres-url=postgres://me:secret@db:65536/todo",
        "postgres-url=postgres://me:secret%@db/todo",
      })
  void unusable(String property) {
    application
        .withPropertyValues(property)
        .run(
            context ->
                assertThat(context).getFailure().rootCause().message().doesNotContain("secret"));
  }
}
