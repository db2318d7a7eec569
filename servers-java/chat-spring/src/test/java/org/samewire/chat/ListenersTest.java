package org.samewire.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Over a socket: only Tomcat ends what takes too long, and sees that a client has gone. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "port=8080")
class ListenersTest {
  private final HttpClient client = HttpClient.newHttpClient();
  @Autowired private Room room;
  @Autowired private Presence presence;
  @Autowired private LongPolls longPolls;
  @LocalServerPort private int port;
  private long last;

  @BeforeEach
  void begin() {
    last = room.after(0).last();
  }

  @Test
  void messageAnswersTheRequestsThatWait() {
    var answer = ask("/messages?wait=20&user=ana&after=" + last);
    await().until(() -> presence.users().contains("ana"));
    assertThat(answer).isNotDone();
    post("oi");
    assertThat(answer)
        .succeedsWithin(Duration.ofSeconds(5))
        .asString()
        .endsWith(",\"user\":\"bia\",\"text\":\"oi\"}],\"last\":%d}".formatted(last + 1));
    assertThat(presence.users()).contains("ana");
    await().until(() -> !presence.users().contains("ana"));
  }

  @Test
  void waitHasAnEnd() {
    assertThat(ask("/messages?wait=1&after=" + last))
        .succeedsWithin(Duration.ofSeconds(5))
        .asString()
        .endsWith("\"messages\":[],\"last\":%d}".formatted(last));
  }

  @Test
  void nothingIsWaitedForIfItIsThere() {
    post("one");
    assertThat(ask("/messages?wait=20&after=" + last))
        .succeedsWithin(Duration.ofSeconds(5))
        .asString()
        .contains("one");
    assertThat(ask("/messages?wait=0&after=" + (last + 1)))
        .succeedsWithin(Duration.ofSeconds(5))
        .asString()
        .contains("\"messages\":[]");
  }

  @Test
  void streamHasWhatIsThereAndWhatComes() throws Exception {
    post("one");
    try (Stream<String> lines = listen("/events?user=eva", Long.toString(last))) {
      var events = lines.filter(line -> !line.isEmpty() && !line.startsWith(":")).iterator();
      assertThat(next(events, 2))
          .containsExactly(
              "event:room", "data:{\"room\":\"%s\",\"last\":%d}".formatted(room.id, last + 1));
      assertThat(next(events, 2)).containsExactly("id:" + (last + 1), data(last + 1, "one"));
      assertThat(presence.users()).contains("eva");
      post("two");
      assertThat(next(events, 2)).containsExactly("id:" + (last + 2), data(last + 2, "two"));
    }
    await().atMost(Duration.ofSeconds(3)).until(() -> !presence.users().contains("eva"));
  }

  @Test
  void idleStreamHasComments() throws Exception {
    try (Stream<String> lines = listen("/events", Long.toString(last))) {
      assertThat(lines.filter(line -> line.startsWith(":")).findFirst()).isPresent();
    }
  }

  @Test
  void headHasNoStream() throws Exception {
    var request =
        HttpRequest.newBuilder(uri("/events")).method("HEAD", BodyPublishers.noBody()).build();
    HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("Content-Type")).hasValue("text/event-stream");
    assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-cache");
  }

  private Stream<String> listen(String target, String lastEventId) throws Exception {
    var request = HttpRequest.newBuilder(uri(target)).header("Last-Event-ID", lastEventId).build();
    HttpResponse<Stream<String>> response = client.send(request, BodyHandlers.ofLines());
    assertThat(response.headers().firstValue("Content-Type")).hasValue("text/event-stream");
    return response.body();
  }

  private CompletableFuture<String> ask(String target) {
    return client
        .sendAsync(HttpRequest.newBuilder(uri(target)).build(), BodyHandlers.ofString())
        .thenApply(HttpResponse::body);
  }

  private void post(String text) {
    longPolls.tell(room.post("bia", text));
  }

  private URI uri(String target) {
    return URI.create("http://127.0.0.1:" + port + target);
  }

  private static String data(long id, String text) {
    return "data:{\"id\":%d,\"user\":\"bia\",\"text\":\"%s\"}".formatted(id, text);
  }

  private static List<String> next(Iterator<String> lines, int count) {
    var next = new ArrayList<String>();
    for (int i = 0; i < count; i++) {
      next.add(lines.next());
    }
    return next;
  }
}
