package org.samewire.randoms;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

@WebMvcTest(properties = "port=8080")
@EnableConfigurationProperties(RandomsProperties.class)
class RandomsControllerTest {
  @Autowired private MockMvcTester mvc;

  @ParameterizedTest
  @ValueSource(strings = {"/randoms", "/randoms/sync"})
  void result(String path) {
    String result = "{\"count\":3,\"counts\":{\"28\":1,\"412\":1,\"536\":1}}";
    assertThat(mvc.get().uri(path + "?count=3&seed=2147483647"))
        .hasStatus(200)
        .hasContentType(MediaType.APPLICATION_JSON)
        .hasHeader(HttpHeaders.CONTENT_LENGTH, String.valueOf(result.length()))
        .hasBodyTextEqualTo(result);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/randoms", "/randoms/sync"})
  void anotherSeedEachTime(String path) {
    assertThat(body(path)).isNotEqualTo(body(path));
  }

  private String body(String path) {
    return assertThat(mvc.get().uri(path + "?count=1000"))
        .hasStatus(200)
        .body()
        .asString()
        .actual();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "?count=",
        "?count=-1",
        "?count=100000001",
        "?count=4294967297",
        "?count=1.5",
        "?count=x",
        "?count=1&seed=",
        "?count=1&seed=0",
        "?count=1&seed=4294967296",
        "?count=1&seed=18446744073709551617",
        "?count=1&seed=x",
      })
  void badParameters(String query) {
    problem("/randoms" + query);
    problem("/randoms/sync" + query);
  }

  @Test
  void info() {
    int pid = (int) ProcessHandle.current().pid();
    assertThat(mvc.get().uri("/info"))
        .hasStatus(200)
        .bodyJson()
        .hasPathSatisfying("$.pid", value -> value.assertThat().isEqualTo(pid))
        .hasPath("$.memory.rss");
  }

  private void problem(String uri) {
    assertThat(mvc.get().uri(uri))
        .hasStatus(400)
        .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
        .bodyJson()
        .hasPathSatisfying("$.status", value -> value.assertThat().isEqualTo(400))
        .hasPath("$.title")
        .hasPath("$.detail");
  }
}
