package org.samewire.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.springframework.test.web.client.match.MockRestRequestMatchers.requestTo;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withException;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withStatus;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withSuccess;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.samewire.report.TodoList.Todo;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.autoconfigure.json.JsonTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.client.MockRestServiceServer;
import org.springframework.test.web.client.ResponseCreator;
import org.springframework.web.client.RestClient;
import org.springframework.web.server.ResponseStatusException;
import tools.jackson.databind.json.JsonMapper;

@JsonTest(properties = {"port=8080", "todo-url=http://todo", "raytracer-url=http://raytracer/"})
@EnableConfigurationProperties(ReportProperties.class)
@ExtendWith(OutputCaptureExtension.class)
class UpstreamsTest {
  private static final String ITEM = "{\"id\":1,\"title\":\"milk\",\"completed\":true}";

  @Autowired private JsonMapper json;
  @Autowired private ReportProperties properties;
  private MockRestServiceServer server;
  private Upstreams upstreams;

  @BeforeEach
  void bind() {
    RestClient.Builder builder = RestClient.builder();
    server = MockRestServiceServer.bindTo(builder).build();
    upstreams = new Upstreams(builder.build(), properties, json);
  }

  @Test
  void todos() {
    answer(withSuccess("{\"items\":[" + ITEM + "],\"next\":null}", MediaType.APPLICATION_JSON));
    assertThat(upstreams.todos().items()).containsExactly(new Todo(1, "milk", true));
  }

  @Test
  void picture() {
    server
        .expect(requestTo("http://raytracer/render?width=320&height=240&depth=3"))
        .andRespond(withSuccess(new byte[] {1, 2, 3}, MediaType.IMAGE_PNG));
    assertThat(upstreams.picture()).containsExactly(1, 2, 3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "null",
        "{}",
        "{'items':null}",
        "{'items':{}}",
        "{'items':[null]}",
        "{'items':[{'title':'milk','completed':true}]}",
        "{'items':[{'id':1.5,'title':'milk','completed':true}]}",
        "{'items':[{'id':'1','title':'milk','completed':true}]}",
        "{'items':[{'id':9223372036854775808,'title':'milk','completed':true}]}",
        "{'items':[{'id':1,'title':5,'completed':true}]}",
        "{'items':[{'id':1,'title':null,'completed':true}]}",
        "{'items':[{'id':1,'title':'milk','completed':1}]}",
        "{'items':[]} {}",
      })
  void noList(String body) {
    answer(withSuccess(body.replace('\'', '"'), MediaType.APPLICATION_JSON));
    refused();
  }

  @Test
  void causeIsLoggedOnce(CapturedOutput log) {
    for (int i = 0; i < 3; i++) {
      answer(withStatus(HttpStatus.SERVICE_UNAVAILABLE));
      refused();
    }
    assertThat(log).containsOnlyOnce("is away, late or bad").contains("503 SERVICE_UNAVAILABLE");
  }

  @Test
  void interruptionIsNoFailureOfTheUpstream(CapturedOutput log) {
    answer(withException(new InterruptedIOException()));
    refused();
    answer(withException(new IOException(new InterruptedException())));
    refused();
    assertThat(log).doesNotContain("is away, late or bad");
    answer(withException(new SocketTimeoutException()));
    assertThatExceptionOfType(ResponseStatusException.class).isThrownBy(upstreams::todos);
    assertThat(log).containsOnlyOnce("is away, late or bad");
  }

  @Test
  void badAnswers() {
    String list = "{\"items\":[]}";
    answer(withStatus(HttpStatus.CREATED).contentType(MediaType.APPLICATION_JSON).body(list));
    refused();
    answer(withSuccess(list, MediaType.TEXT_PLAIN));
    refused();
    answer(withSuccess(list, null));
    refused();
    answer(
        withSuccess(list, MediaType.APPLICATION_JSON).header(HttpHeaders.CONTENT_ENCODING, "br"));
    refused();
    answer(withSuccess(list + " ".repeat(1024 * 1024), MediaType.APPLICATION_JSON));
    refused();
  }

  private void answer(ResponseCreator answer) {
    server.reset();
    server.expect(requestTo("http://todo/todos?limit=100")).andRespond(answer);
  }

  private void refused() {
    assertThatExceptionOfType(ResponseStatusException.class)
        .isThrownBy(upstreams::todos)
        .matches(e -> e.getStatusCode() == HttpStatus.BAD_GATEWAY);
  }
}
