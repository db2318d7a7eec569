package org.samewire.raytracer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;

class RaytracerPropertiesTest {
  @EnableConfigurationProperties(RaytracerProperties.class)
  static class Configuration {}

  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(ValidationAutoConfiguration.class))
          .withUserConfiguration(Configuration.class);

  @Test
  void hostMayBeMissing() {
    application
        .withPropertyValues("port=8080")
        .run(
            context ->
                assertThat(context.getBean(RaytracerProperties.class))
                    .isEqualTo(new RaytracerProperties("127.0.0.1", 8080)));
  }

  @Test
  void portMayNot() {
    application.run(context -> assertThat(context).hasFailed());
  }

  @ParameterizedTest
  @ValueSource(strings = {"host=", "port=", "port=0", "port=-1", "port=65536", "port=80a"})
  void unusable(String property) {
    application
        .withPropertyValues("port=8080", property)
        .run(context -> assertThat(context).hasFailed());
  }
}
