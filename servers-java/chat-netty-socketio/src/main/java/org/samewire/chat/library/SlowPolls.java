package org.samewire.chat.library;

import com.corundumstudio.socketio.SocketIOClient;
import com.corundumstudio.socketio.Transport;
import com.corundumstudio.socketio.handler.ClientHead;
import com.corundumstudio.socketio.transport.NamespaceClient;
import java.util.Collection;

/** The library keeps packets without a limit for a client that does not poll (no issue). */
public final class SlowPolls {
  private static final int MAX_WAITING = 2_000;

  private SlowPolls() {}

  static boolean isFull(ClientHead session) {
    return session.getPacketsQueue(Transport.POLLING).size() > MAX_WAITING;
  }

  /** Ends the sessions for which too many packets wait. */
  public static void end(Collection<SocketIOClient> clients) {
    for (SocketIOClient client : clients) {
      if (client.getTransport() == Transport.POLLING) {
        ClientHead session = ((NamespaceClient) client).getBaseClient();
        if (isFull(session)) {
          session.disconnect();
        }
      }
    }
  }
}
