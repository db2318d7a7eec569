package org.samewire.report.page;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Base64;
import org.samewire.report.upstream.Upstreams;
import org.springframework.util.StreamUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The report. */
@RestController
class ReportController {
  private final Upstreams upstreams;

  ReportController(Upstreams upstreams) {
    this.upstreams = upstreams;
  }

  /** The image is encoded as it is sent: it may be large. */
  @GetMapping("/report")
  void report(HttpServletResponse response) throws IOException {
    Upstreams.Answers answers = upstreams.fetch();
    byte[] before = ReportPage.beforeImage(answers.todos());
    byte[] after = ReportPage.afterImage();
    int image = (answers.image().length + 2) / 3 * 4;
    response.setContentType("text/html; charset=utf-8");
    response.setContentLength(before.length + image + after.length);
    OutputStream out = response.getOutputStream();
    out.write(before);
    try (OutputStream base64 = Base64.getEncoder().wrap(StreamUtils.nonClosing(out))) {
      base64.write(answers.image());
    }
    out.write(after);
  }
}
