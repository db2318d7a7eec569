package org.samewire.todo;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import java.net.URI;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.http.MediaType;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MockMvcTester.MockMvcRequestBuilder;

@WebMvcTest(TodoController.class)
@ExtendWith(OutputCaptureExtension.class)
class TodoControllerTest {
  private static final Todo MILK = new Todo(1, "milk", false);

  @Autowired private MockMvcTester mvc;
  @MockitoBean private TodoRepository todos;

  @Test
  void created() {
    when(todos.insert("milk", false)).thenReturn(MILK);
    assertThat(post("{\"title\":\"milk\"}"))
        .hasStatus(201)
        .hasHeader("Location", "/todos/1")
        .bodyJson()
        .isLenientlyEqualTo("{\"id\":1,\"title\":\"milk\",\"completed\":false}");
  }

  @Test
  void whatIsNotGivenStays() {
    when(todos.update(1, null, true)).thenReturn(Optional.of(MILK));
    assertThat(json(mvc.patch().uri("/todos/1"), "{\"completed\":true}")).hasStatus(200);
  }

  @Test
  void noSuchTodo() {
    problem(mvc.get().uri("/todos/1"), 404);
    problem(mvc.delete().uri("/todos/1"), 404);
    problem(json(mvc.put().uri("/todos/1"), "{\"title\":\"a\",\"completed\":true}"), 404);
    problem(json(mvc.patch().uri("/todos/1"), "{}"), 404);
  }

  @Test
  void databaseAway(CapturedOutput log) {
    when(todos.find(1)).thenThrow(new DataAccessResourceFailureException("away"));
    for (int i = 0; i < 3; i++) {
      problem(mvc.get().uri("/todos/1"), 503);
    }
    assertThat(log).containsOnlyOnce("The database does not answer: away");
  }

  @Test
  void faultOfOurs(CapturedOutput log) {
    when(todos.find(1)).thenThrow(new BadSqlGrammarException("find", "secret", new SQLException()));
    problem(mvc.get().uri("/todos/1"), 500);
    assertThat(log).containsOnlyOnce("A statement fails").contains("\tat org.samewire");
  }

  @Test
  void lastOfMany() {
    when(todos.findPage(1, 0)).thenReturn(new TodoRepository.Page(List.of(MILK), 1L));
    assertThat(mvc.get().uri("/todos?limit=1"))
        .bodyJson()
        .hasPathSatisfying("$.next", next -> next.assertThat().isEqualTo(1));
  }

  @Test
  void bytesThatAreNoUtf8() {
    byte[] slash = "{'title':'\u00c0\u00af'}".replace('\'', '"').getBytes(ISO_8859_1);
    problem(mvc.post().uri("/todos").contentType(MediaType.APPLICATION_JSON).content(slash), 400);
    verifyNoInteractions(todos);
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
  void charactersAreNoUtf16Units() {
    String title = "\uD83D\uDE00".repeat(200);
    when(todos.insert(title, false)).thenReturn(MILK);
    assertThat(post("{\"title\":\"" + title + "\"}")).hasStatus(201);
  }

  @Test
  void badBodies() {
    problem(post("{\"title\":\"" + "a".repeat(201) + "\"}"), 400);
    problem(post("[".repeat(10_000)), 400);
    problem(post("{\"title\":\"a\"}" + " ".repeat(65_524)), 413);
    problem(json(mvc.put().uri("/todos/1"), "{\"title\":\"a\"}"), 400);
    problem(json(mvc.patch().uri("/todos/1"), "{\"title\":\"\"}"), 400);
    problem(mvc.post().uri("/todos").contentType(MediaType.ALL).content("{}"), 415);
    verifyNoInteractions(todos);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"?limit=0", "?limit=101", "?limit=x", "?after=-1", "?after=9007199254740992"})
  void badPage(String query) {
    problem(mvc.get().uri("/todos" + query), 400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"abc", "0x1", "1%200", "1.0", "-1"})
  void badId(String id) {
    problem(mvc.delete().uri(URI.create("/todos/" + id)), 404);
    verifyNoInteractions(todos);
  }

  @Test
  void whatIsNotAcceptedIsNotDone() {
    assertThat(post("{\"title\":\"milk\"}").accept(MediaType.TEXT_HTML)).hasStatus(406);
    verifyNoInteractions(todos);
  }

  private MockMvcRequestBuilder post(String body) {
    return json(mvc.post().uri("/todos"), body);
  }

  private static MockMvcRequestBuilder json(MockMvcRequestBuilder request, String body) {
    return request.contentType(MediaType.APPLICATION_JSON).content(body);
  }

  private static void problem(MockMvcRequestBuilder request, int status) {
    assertThat(request)
        .hasStatus(status)
        .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
        .bodyJson()
        .hasPathSatisfying("$.status", value -> value.assertThat().isEqualTo(status))
        .hasPath("$.title")
        .hasPath("$.detail");
  }
}
