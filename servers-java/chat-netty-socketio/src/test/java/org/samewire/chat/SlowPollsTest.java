package org.samewire.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

/** A server of its own: of those who are left, others would be told. */
class SlowPollsTest {
  private static final int SESSIONS = 600;

  private final HttpClient http = HttpClient.newHttpClient();
  private final InetSocketAddress address = ChatServerTest.free();
  private final ChatServer server = new ChatServer(address);

  SlowPollsTest() throws Exception {}

  @Test
  void allTogetherHaveALimit() throws Exception {
    // Each is told of all who join after it: 180,000 packets. Those who wait for most of them end.
    for (int i = 0; i < SESSIONS; i++) {
      String open = send(request("EIO=4&transport=polling"));
      String id = open.replaceFirst(".*\"sid\":\"([^\"]+)\".*", "$1");
      String packets = "40\u001e42[\"join\",\"" + i + "\"]";
      HttpRequest.Builder session = request("EIO=4&transport=polling&sid=" + id);
      assertEquals("ok", send(session.POST(BodyPublishers.ofString(packets))));
    }
    int present = send(request("").uri(uri("/presence"))).split(",").length - 1;
    assertTrue(present > 0 && present < 400, present + " are present");
    server.stop();
  }

  @Test
  void stopBeforeAnyConnection() {
    server.stop();
  }

  private String send(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), BodyHandlers.ofString()).body();
  }

  private HttpRequest.Builder request(String query) {
    return HttpRequest.newBuilder(uri("/socket.io/?" + query));
  }

  private URI uri(String target) {
    return URI.create("http://127.0.0.1:" + address.getPort() + target);
  }
}
