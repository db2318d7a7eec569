package org.samewire.randoms;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;

class RandomsPropertiesTest {
  @EnableConfigurationProperties(RandomsProperties.class)
  static class Configuration {}

  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(ValidationAutoConfiguration.class))
          .withUserConfiguration(Configuration.class);

  @ParameterizedTest
  @ValueSource(strings = {"", "host=::1", "log=sync", "compression=off", "compression-min-bytes=0"})
  void usable(String property) {
    application
        .withPropertyValues("port=8080", property)
        .run(context -> assertThat(context).hasNotFailed());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "host=",
        "port=",
        "port=0",
        "port=65536",
        "port=80a",
        "log=",
        "log=ASYNC",
        "compression=",
        "compression=OFF",
        "compression-min-bytes=-1",
        "compression-min-bytes=12x",
      })
  void unusable(String property) {
    application
        .withPropertyValues("port=8080", property)
        .run(context -> assertThat(context).hasFailed());
  }
}
