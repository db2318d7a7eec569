package org.samewire.report;

import java.util.concurrent.CompletableFuture;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.servlet.ModelAndView;

/** The variant {@code structured} has a class in its place. */
@Controller
@ConditionalOnMissingClass("org.samewire.report.StructuredReportController")
class ReportController {
  private final Upstreams upstreams;
  private final AsyncTaskExecutor executor;

  ReportController(Upstreams upstreams, AsyncTaskExecutor applicationTaskExecutor) {
    this.upstreams = upstreams;
    executor = applicationTaskExecutor;
  }

  // #region report.fetch-both
  /** Asks both at once, on a thread each. The thread of the request is free. */
  @GetMapping(path = "/report", produces = MediaType.TEXT_HTML_VALUE)
  CompletableFuture<ModelAndView> report() {
    return executor
        .submitCompletable(upstreams::todos)
        .thenCombine(executor.submitCompletable(upstreams::picture), Report::of)
        .thenApply(report -> new ModelAndView("report", "report", report));
  }
  // #endregion report.fetch-both
}
