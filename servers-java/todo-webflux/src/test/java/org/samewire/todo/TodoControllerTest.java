package org.samewire.todo;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import io.r2dbc.spi.R2dbcNonTransientResourceException;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.reactive.server.WebTestClient.RequestHeadersSpec;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

@WebFluxTest(TodoController.class)
@ExtendWith(OutputCaptureExtension.class)
class TodoControllerTest {
  private static final Todo MILK = new Todo(1, "milk", false);

  @Autowired private WebTestClient client;
  @MockitoBean private TodoRepository todos;

  @BeforeEach
  void noTodos() {
    when(todos.find(anyLong())).thenReturn(Mono.empty());
    when(todos.delete(anyLong())).thenReturn(Mono.just(false));
    when(todos.update(anyLong(), any(), any())).thenReturn(Mono.empty());
  }

  @Test
  void created() {
    when(todos.insert("milk", false)).thenReturn(Mono.just(MILK));
    post("{\"title\":\"milk\"}")
        .exchange()
        .expectStatus()
        .isCreated()
        .expectHeader()
        .location("/todos/1")
        .expectBody()
        .json("{\"id\":1,\"title\":\"milk\",\"completed\":false}");
  }

  @Test
  void whatIsNotGivenStays() {
    when(todos.update(1, null, true)).thenReturn(Mono.just(MILK));
    json(HttpMethod.PATCH, "/todos/1", "{\"completed\":true}").exchange().expectStatus().isOk();
  }

  @Test
  void noSuchTodo() {
    problem(client.get().uri("/todos/1"), 404);
    problem(client.delete().uri("/todos/1"), 404);
    problem(json(HttpMethod.PUT, "/todos/1", "{\"title\":\"a\",\"completed\":true}"), 404);
    problem(json(HttpMethod.PATCH, "/todos/1", "{}"), 404);
  }

  @Test
  void databaseAway(CapturedOutput log) {
    var away = new DataAccessResourceFailureException("away");
    when(todos.find(1)).thenReturn(Mono.error(away));
    for (int i = 0; i < 3; i++) {
      problem(client.get().uri("/todos/1"), 503);
    }
    assertThat(log).containsOnlyOnce("The database does not answer: away");
  }

  @ParameterizedTest
  @ValueSource(strings = {"XX000", "P0001", "0A000"})
  void faultOfOurs(String state, CapturedOutput log) {
    var cause = new R2dbcNonTransientResourceException("secret", state);
    var failure = new DataAccessResourceFailureException("find", cause);
    when(todos.find(1)).thenReturn(Mono.error(failure));
    problem(client.get().uri("/todos/1"), 500);
    assertThat(log).contains("A statement fails").contains("secret");
  }

  @ParameterizedTest
  @ValueSource(strings = {"57014", "57P01", "08006", "3D000"})
  void noFaultOfOurs(String state) {
    var cause = new R2dbcNonTransientResourceException("", state);
    when(todos.find(1)).thenReturn(Mono.error(new DataAccessResourceFailureException("", cause)));
    problem(client.get().uri("/todos/1"), 503);
  }

  @Test
  void lastOfMany() {
    when(todos.findPage(1, 0)).thenReturn(Mono.just(new TodoRepository.Page(List.of(MILK), 1L)));
    client.get().uri("/todos?limit=1").exchange().expectBody().jsonPath("$.next").isEqualTo(1);
  }

  @Test
  void bytesThatAreNoUtf8() {
    byte[] slash = "{'title':'\u00c0\u00af'}".replace('\'', '"').getBytes(ISO_8859_1);
    problem(
        client.post().uri("/todos").contentType(MediaType.APPLICATION_JSON).bodyValue(slash), 400);
    verifyNoInteractions(todos);
  }

  @Test
  void byteByByte() {
    String title = "\uD83D\uDE00".repeat(200);
    when(todos.insert(title, false)).thenReturn(Mono.just(MILK));
    byte[] body = ("{\"title\":\"" + title + "\"}").getBytes();
    Flux<DataBuffer> pieces =
        Flux.range(0, body.length)
            .map(at -> DefaultDataBufferFactory.sharedInstance.wrap(new byte[] {body[at]}));
    client
        .post()
        .uri("/todos")
        .contentType(MediaType.APPLICATION_JSON)
        .body(pieces, DataBuffer.class)
        .exchange()
        .expectStatus()
        .isCreated();
  }

  @Test
  void clientThatLeaves(CapturedOutput log) {
    Flux<DataBuffer> cut =
        Flux.<DataBuffer>just(DefaultDataBufferFactory.sharedInstance.wrap(new byte[] {'{'}))
            .concatWith(Mono.error(new IOException("Connection reset by peer")));
    problem(
        client
            .post()
            .uri("/todos")
            .contentType(MediaType.APPLICATION_JSON)
            .body(cut, DataBuffer.class),
        400);
    assertThat(log).doesNotContain("ERROR");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "{}",
        "{'title':null}",
        "{'title':''}",
        "{'title':' '}",
        "{'title':5}",
        "{'title':true}",
        "{'title':'\\ud800'}",
        "{'title':'a\\u0000'}",
        "{'title':'a','completed':'true'}",
        "{'title':'a','completed':1}",
        "{'title':'a'} {}",
      })
  void badTodo(String body) {
    problem(post(body.replace('\'', '"')), 400);
    verifyNoInteractions(todos);
  }

  @Test
  void badBodies() {
    problem(post("{\"title\":\"" + "a".repeat(201) + "\"}"), 400);
    problem(post("[".repeat(10_000)), 400);
    problem(post("{\"title\":\"a\"}" + " ".repeat(65_524)), 413);
    problem(json(HttpMethod.PUT, "/todos/1", "{\"title\":\"a\"}"), 400);
    problem(json(HttpMethod.PATCH, "/todos/1", "{\"title\":\"\"}"), 400);
    problem(client.post().uri("/todos").contentType(MediaType.TEXT_PLAIN).bodyValue("{}"), 415);
    verifyNoInteractions(todos);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"?limit=0", "?limit=101", "?limit=x", "?after=-1", "?after=9007199254740992"})
  void badPage(String query) {
    problem(client.get().uri("/todos" + query), 400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"abc", "0x1", "1%200", "1.0", "-1"})
  void badId(String id) {
    problem(client.delete().uri(URI.create("/todos/" + id)), 404);
    verifyNoInteractions(todos);
  }

  @Test
  void whatIsNotAcceptedIsNotDone() {
    post("{\"title\":\"milk\"}")
        .accept(MediaType.TEXT_HTML)
        .exchange()
        .expectStatus()
        .isEqualTo(406);
    verifyNoInteractions(todos);
  }

  private RequestHeadersSpec<?> post(String body) {
    return json(HttpMethod.POST, "/todos", body);
  }

  private RequestHeadersSpec<?> json(HttpMethod method, String path, String body) {
    return client.method(method).uri(path).contentType(MediaType.APPLICATION_JSON).bodyValue(body);
  }

  private static void problem(RequestHeadersSpec<?> request, int status) {
    request
        .exchange()
        .expectStatus()
        .isEqualTo(status)
        .expectHeader()
        .contentType(MediaType.APPLICATION_PROBLEM_JSON)
        .expectBody()
        .jsonPath("$.status")
        .isEqualTo(status)
        .jsonPath("$.title")
        .isNotEmpty()
        .jsonPath("$.detail")
        .isNotEmpty();
  }
}
