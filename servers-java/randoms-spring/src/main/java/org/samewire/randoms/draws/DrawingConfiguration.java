package org.samewire.randoms.draws;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.samewire.randoms.Settings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The threads that draw, and where results are logged. */
@Configuration(proxyBeanMethods = false)
class DrawingConfiguration {
  private static final int MAX_WAITING = 128;

  /** As many as there are cores; more would only take each other's time. */
  @Bean(destroyMethod = "shutdownNow")
  ExecutorService drawing() {
    int cores = Runtime.getRuntime().availableProcessors();
    return new ThreadPoolExecutor(
        cores, cores, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_WAITING));
  }

  // #region randoms.log
  /** {@code logback.xml} has the queue and the thread of the asynchronous logger. */
  @Bean
  ResultLog resultLog(Settings settings) {
    Logger logger = LoggerFactory.getLogger("results");
    return switch (settings.log()) {
      case NONE -> result -> {};
      case SYNC -> result -> System.out.println(result.json());
      case ASYNC -> result -> logger.info(result.json());
    };
  }
  // #endregion randoms.log
}
