package org.samewire.chat.library;

import com.corundumstudio.socketio.SocketIOServer;
import com.corundumstudio.socketio.Transport;
import com.corundumstudio.socketio.handler.ClientHead;
import com.corundumstudio.socketio.transport.NamespaceClient;
import java.util.List;

/**
 * The library keeps packets without a limit for a client that does not poll (no issue). Here a
 * session has a limit, and so have all together. For the event loop alone.
 */
public final class SlowPolls {
  private static final int MAX_WAITING = 2_000;

  /** Of some 500 bytes each. */
  private static final int MAX_WAITING_FOR_ALL = 100_000;

  /** Not for each packet: the library's queues count what is in them one by one. */
  private static final int PACKETS_BETWEEN_LOOKS = 1_000;

  private final SocketIOServer server;
  private int packets;

  public SlowPolls(SocketIOServer server) {
    this.server = server;
  }

  /** So many packets more were sent. Now and then, ends the sessions for which too many wait. */
  public void sent(int more) {
    packets += more;
    if (packets >= PACKETS_BETWEEN_LOOKS) {
      packets = 0;
      end();
    }
  }

  private void end() {
    List<ClientHead> polling =
        server.getAllClients().stream()
            .filter(client -> client.getTransport() == Transport.POLLING)
            .map(client -> ((NamespaceClient) client).getBaseClient())
            .toList();
    int all = polling.stream().mapToInt(SlowPolls::waiting).sum();
    int most = all > MAX_WAITING_FOR_ALL ? MAX_WAITING_FOR_ALL / polling.size() : MAX_WAITING;
    // First all, and then their ends: others are told of each.
    polling.stream()
        .filter(session -> waiting(session) > most)
        .toList()
        .forEach(ClientHead::disconnect);
  }

  static boolean isFull(ClientHead session) {
    return waiting(session) > MAX_WAITING;
  }

  private static int waiting(ClientHead session) {
    return session.getPacketsQueue(Transport.POLLING).size();
  }
}
