package org.samewire.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.when;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/** The same page and problems, with the classes of the variant {@code structured}. */
class StructuredReportControllerTest extends ReportControllerTest {
  @Test
  void failureCancelsTheOther() throws Exception {
    var asked = new CountDownLatch(1);
    var cancelled = new CountDownLatch(1);
    when(upstreams.todos())
        .thenAnswer(
            call -> {
              asked.await();
              throw new ResponseStatusException(HttpStatus.BAD_GATEWAY);
            });
    when(upstreams.picture())
        .thenAnswer(
            call -> {
              asked.countDown();
              try {
                return new CountDownLatch(1).await(5, TimeUnit.SECONDS) ? null : new byte[0];
              } catch (InterruptedException e) {
                cancelled.countDown();
                throw e;
              }
            });
    problem(502);
    assertThat(cancelled.getCount()).isZero();
  }
}
