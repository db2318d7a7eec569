package org.samewire.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.when;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.samewire.report.TodoList.Todo;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.server.ResponseStatusException;

@WebMvcTest(properties = {"port=8080", "todo-url=http://todo", "raytracer-url=http://raytracer"})
@EnableConfigurationProperties(ReportProperties.class)
class ReportControllerTest {
  @Autowired private MockMvcTester mvc;
  @MockitoBean Upstreams upstreams;

  @BeforeEach
  void bothAreWell() {
    Todo first = new Todo(7, "<b>\"milk\" & 'tea'</b>", true);
    when(upstreams.todos()).thenReturn(new TodoList(List.of(first, new Todo(8, "rum", false))));
    when(upstreams.picture()).thenReturn(new byte[] {-1, -2, -3});
  }

  @Test
  void page() {
    assertThat(mvc.get().uri("/report"))
        .hasStatus(200)
        .hasContentTypeCompatibleWith("text/html;charset=utf-8")
        .bodyText()
        .startsWith("<!DOCTYPE html>")
        .contains("<dt>Total</dt><dd>2</dd>", "<dt>Done</dt><dd>50%</dd>")
        .contains("<tr><td>7</td><td>&lt;b&gt;&quot;milk&quot; &amp; &#39;tea&#39;&lt;/b&gt;</td>")
        .contains("<td>completed</td>", "<td>open</td>", "base64,//79\"")
        .doesNotContain("region");
  }

  @Test
  void roundedHalfUp() {
    Todo open = new Todo(1, "a", false);
    Todo completed = new Todo(1, "a", true);
    TodoList oneOfEight =
        new TodoList(List.of(completed, open, open, open, open, open, open, open));
    assertThat(Report.of(oneOfEight, new byte[0]).percentage()).isEqualTo(13);
    assertThat(Report.of(new TodoList(List.of()), new byte[0]).percentage()).isZero();
  }

  @Test
  void bad() {
    when(upstreams.picture()).thenThrow(new ResponseStatusException(HttpStatus.BAD_GATEWAY));
    problem(502);
  }

  @Test
  void errorOfOurs() {
    when(upstreams.todos()).thenThrow(new IllegalStateException("a test"));
    problem(500);
  }

  void problem(int status) {
    assertThat(mvc.get().uri("/report"))
        .hasStatus(status)
        .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
        .bodyJson()
        .hasPathSatisfying("$.status", value -> value.assertThat().isEqualTo(status));
  }
}
