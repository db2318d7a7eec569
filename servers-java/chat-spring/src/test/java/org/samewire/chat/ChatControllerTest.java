package org.samewire.chat;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MockMvcTester.MockMvcRequestBuilder;

@WebMvcTest
@Import({Room.class, Presence.class, LongPolls.class, EventStreams.class})
class ChatControllerTest {
  @Autowired private MockMvcTester mvc;
  @Autowired private Room room;
  @Autowired private Presence presence;

  @Test
  void posted() {
    long last = room.after(0).last();
    assertThat(post("{\"user\":\"ana\",\"text\":\"oi\"}"))
        .hasStatus(201)
        .bodyJson()
        .isLenientlyEqualTo("{\"id\":%d,\"user\":\"ana\",\"text\":\"oi\"}".formatted(last + 1));
    assertThat(mvc.get().uri("/messages?after=" + last))
        .hasStatus(200)
        .bodyJson()
        .isLenientlyEqualTo(
            "{\"room\":\"%s\",\"messages\":[{\"user\":\"ana\",\"text\":\"oi\"}],\"last\":%d}"
                .formatted(room.id, last + 1));
    assertThat(presence.users()).doesNotContain("ana");
  }

  @Test
  void whoAsksIsHere() {
    assertThat(mvc.get().uri("/messages?user=bob")).hasStatus(200);
    assertThat(mvc.get().uri("/presence"))
        .bodyJson()
        .extractingPath("$.users")
        .asArray()
        .contains("bob");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "null",
        "{}",
        "{'user':'ana'}",
        "{'user':'ana','text':''}",
        "{'user':'ana','text':5}",
        "{'user':'ana','text':null}",
        "{'user':'ana','text':['oi']}",
        "{'user':'a\\u0085','text':'oi'}",
        "{'user':'a\\ud800','text':'oi'}",
      })
  void badMessage(String body) {
    problem(post(body.replace('\'', '"')), 400);
  }

  @Test
  void lengthsAreOfCodePoints() {
    String smile = "\uD83D\uDE00";
    String body = "{\"user\":\"%s\",\"text\":\"%s\"}";
    assertThat(post(body.formatted(smile.repeat(32), smile.repeat(500)))).hasStatus(201);
    problem(post(body.formatted(smile.repeat(33), "oi")), 400);
    problem(post(body.formatted("ana", smile.repeat(501))), 400);
  }

  @Test
  void badBodies() {
    problem(post("{\"user\":\"ana\",\"text\":\"oi\"}" + " ".repeat(65_511)), 413);
    problem(mvc.post().uri("/messages").contentType(MediaType.TEXT_PLAIN).content("{}"), 415);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "messages?wait=-1&user=dora",
        "messages?wait=21&user=dora",
        "messages?wait=1.5",
        "messages?wait=5&after=-1",
        "messages?wait=5&user=a%0A",
        "events?after=x&user=dora",
        "events?user=a%0A",
      })
  void badListener(String target) {
    problem(mvc.get().uri(URI.create("/" + target)), 400);
    assertThat(presence.users()).doesNotContain("dora");
  }

  @ParameterizedTest
  @ValueSource(strings = {"after=-1", "after=x", "after=1.5", "user=a%0A", "after=x&user=carl"})
  void badQuery(String query) {
    problem(mvc.get().uri(URI.create("/messages?" + query)), 400);
    assertThat(presence.users()).doesNotContain("carl");
  }

  @Test
  void page() {
    assertThat(mvc.get().uri("/"))
        .hasStatus(200)
        .hasContentType("text/html;charset=UTF-8")
        .containsHeader("Content-Security-Policy");
    assertThat(mvc.get().uri("/assets/chat.js")).hasStatus(200).hasContentType("text/javascript");
    problem(mvc.get().uri("/assets/nothing.js"), 404);
  }

  private MockMvcRequestBuilder post(String body) {
    return mvc.post().uri("/messages").contentType(MediaType.APPLICATION_JSON).content(body);
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
