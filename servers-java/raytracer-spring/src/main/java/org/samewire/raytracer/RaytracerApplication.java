package org.samewire.raytracer;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.task.ThreadPoolTaskExecutorBuilder;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** Without Boot's page for errors: a client that asks for {@code /error} would be given a 500. */
@SpringBootApplication(exclude = ErrorMvcAutoConfiguration.class)
@ConfigurationPropertiesScan
class RaytracerApplication {

  public static void main(String[] args) {
    SpringApplication.run(RaytracerApplication.class, args);
  }

  /**
   * Spring MVC runs a {@code Callable} here. More threads than cores would only take each other's
   * time. The length of the queue is in application.properties.
   */
  @Bean
  ThreadPoolTaskExecutor applicationTaskExecutor(ThreadPoolTaskExecutorBuilder builder) {
    int cores = Runtime.getRuntime().availableProcessors();
    return builder.corePoolSize(cores).maxPoolSize(cores).build();
  }
}
