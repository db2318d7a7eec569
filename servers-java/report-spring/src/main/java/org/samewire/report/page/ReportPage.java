package org.samewire.report.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.stream.Collectors;
import org.samewire.report.upstream.Todo;
import org.springframework.web.util.HtmlUtils;

/** The page, without the image that is in the middle of it. */
final class ReportPage {

  // #region report.template
  private static final String BEFORE_IMAGE =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Report</title>
      <style>
      :root { color-scheme: light dark; accent-color: teal; }
      body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
      dl { display: flex; flex-wrap: wrap; gap: 0.5rem 2.5rem; margin: 0; }
      dt, th, figcaption { opacity: 0.7; font-size: 0.875rem; font-weight: normal; }
      dd { margin: 0; font-size: 1.75rem; line-height: 1.2; }
      progress { width: 20rem; max-width: 90vw; margin: 1rem 0; }
      table { border-collapse: collapse; margin: 1rem 0 2rem; min-width: 20rem; }
      th, td { padding: 0.3rem 2rem 0.3rem 0; border-bottom: 1px solid #8884; text-align: left; vertical-align: top; }
      td:nth-child(2) { overflow-wrap: anywhere; white-space: pre-wrap; }
      td:first-child, dd { font-variant-numeric: tabular-nums; }
      figure { margin: 0; }
      img { max-width: 90vw; height: auto; border-radius: 0.5rem; }
      </style>
      </head>
      <body>
      <main>
      <h1>Report</h1>
      <dl>
      <div><dt>Total</dt><dd>%1$d</dd></div>
      <div><dt>Completed</dt><dd>%2$d</dd></div>
      <div><dt>Open</dt><dd>%3$d</dd></div>
      <div><dt>Done</dt><dd>%4$d%%</dd></div>
      </dl>
      <progress aria-label="Done" max="100" value="%4$d"></progress>
      <table>
      <thead>
      <tr><th scope="col">Id</th><th scope="col">Title</th><th scope="col">State</th></tr>
      </thead>
      <tbody>
      %5$s</tbody>
      </table>
      <figure>
      <img src="data:image/png;base64,\
      """;

  private static final String AFTER_IMAGE =
      """
      " alt="Spheres on a checkered plane" width="320" height="240">
      <figcaption>Rendered for this report</figcaption>
      </figure>
      </main>
      </body>
      </html>
      """;

  private static final String ROW =
      """
      <tr><td>%d</td><td>%s</td><td>%s</td></tr>
      """;

  static byte[] beforeImage(List<Todo> todos) {
    int total = todos.size();
    int completed = (int) todos.stream().filter(Todo::completed).count();
    int percentage = total == 0 ? 0 : (200 * completed + total) / (2 * total);
    String rows = todos.stream().map(ReportPage::row).collect(Collectors.joining());
    return BEFORE_IMAGE
        .formatted(total, completed, total - completed, percentage, rows)
        .getBytes(UTF_8);
  }

  static byte[] afterImage() {
    return AFTER_IMAGE.getBytes(UTF_8);
  }

  private static String row(Todo todo) {
    return ROW.formatted(
        todo.id(),
        HtmlUtils.htmlEscape(todo.title(), UTF_8.name()),
        todo.completed() ? "completed" : "open");
  }

  // #endregion report.template

  private ReportPage() {}
}
