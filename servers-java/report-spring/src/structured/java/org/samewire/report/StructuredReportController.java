package org.samewire.report;

import java.util.concurrent.Semaphore;
import java.util.concurrent.StructuredTaskScope;
import java.util.concurrent.StructuredTaskScope.FailedException;
import java.util.concurrent.StructuredTaskScope.Subtask;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.servlet.ModelAndView;

/** In the place of {@link ReportController}. */
@Controller
class StructuredReportController {
  /** As many as have their two exchanges at once in the other variants. */
  private static final int REPORTS = 200;

  private final Upstreams upstreams;
  private final Semaphore places = new Semaphore(REPORTS);

  StructuredReportController(Upstreams upstreams) {
    this.upstreams = upstreams;
  }

  // #region report.fetch-both
  /**
   * Asks both at once, on a virtual thread each, and waits. If one fails, the other is cancelled.
   */
  @GetMapping(path = "/report", produces = MediaType.TEXT_HTML_VALUE)
  ModelAndView report() throws Throwable {
    if (!places.tryAcquire()) {
      throw new TaskRejectedException("There are " + REPORTS + " reports at once.");
    }
    try (var scope = StructuredTaskScope.open()) {
      Subtask<TodoList> todos = scope.fork(upstreams::todos);
      Subtask<byte[]> picture = scope.fork(upstreams::picture);
      scope.join();
      return new ModelAndView("report", "report", Report.of(todos.get(), picture.get()));
    } catch (FailedException e) {
      throw e.getCause();
    } finally {
      places.release();
    }
  }
  // #endregion report.fetch-both
}
