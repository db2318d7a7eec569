package org.samewire.raytracer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@ExtendWith(OutputCaptureExtension.class)
class RaytracerProblemsTest {
  @RestController
  static class Failing {
    @GetMapping("/fault")
    void fault() throws IOException {
      throw new IOException("a test");
    }

    @GetMapping("/full")
    void full() {
      throw new TaskRejectedException("a test");
    }
  }

  private final MockMvcTester mvc =
      MockMvcTester.of(
          List.of(new Failing()), all -> all.setControllerAdvice(new RaytracerProblems()).build());

  @Test
  void faultOfOursIsLoggedOnceWithItsStackTrace(CapturedOutput log) {
    problem("/fault", 500);
    assertThat(log).containsOnlyOnce("A request has failed.").contains("\tat org.samewire");
  }

  @Test
  void fullPool(CapturedOutput log) {
    problem("/full", 503);
    assertThat(log).doesNotContain("A request has failed.");
  }

  private void problem(String uri, int status) {
    assertThat(mvc.get().uri(uri))
        .hasStatus(status)
        .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
        .bodyJson()
        .hasPathSatisfying("$.status", value -> value.assertThat().isEqualTo(status));
  }
}
