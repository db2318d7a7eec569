package org.samewire.chat;

import com.corundumstudio.socketio.AckRequest;
import com.corundumstudio.socketio.SocketIOClient;
import com.corundumstudio.socketio.SocketIOServer;
import com.corundumstudio.socketio.Transport;
import com.corundumstudio.socketio.handler.ClientHead;
import com.corundumstudio.socketio.protocol.EngineIOVersion;
import com.corundumstudio.socketio.protocol.Packet;
import com.corundumstudio.socketio.protocol.PacketType;
import com.corundumstudio.socketio.transport.NamespaceClient;
import io.netty.channel.EventLoop;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** The room over Socket.IO. All of it happens on the one event loop. */
final class Sockets {
  /** Packets that may wait for a client that does not poll. */
  private static final int MAX_WAITING = 2_000;

  private record User(String user) {}

  private record Joined(UUID room, boolean ok, long last) {}

  private record Posted(boolean ok, long id) {}

  private record Refused(boolean ok, String error) {
    Refused(String error) {
      this(false, error);
    }
  }

  private final Room room;
  private final Map<UUID, Member> members = new HashMap<>();
  private final Set<String> users = new HashSet<>();
  private volatile EventLoop loop;

  /** A connection that has joined. */
  private record Member(SocketIOClient client, String user) {}

  Sockets(Room room) {
    this.room = room;
  }

  void listenTo(SocketIOServer server) {
    server.addEventListener("join", String.class, this::join);
    server.addEventListener("message", String.class, this::say);
    server.addDisconnectListener(this::disconnected);
  }

  /** All connections are on the same loop. */
  void runOn(EventLoop loop) {
    this.loop = loop;
  }

  // #region chat.presence
  private void join(SocketIOClient client, String user, AckRequest ack) {
    if (members.containsKey(client.getSessionId())) {
      ack.sendAckData(new Refused("Already joined."));
    } else if (!Rules.isUser(user)) {
      ack.sendAckData(new Refused(Rules.USER));
    } else if (!users.add(user)) {
      ack.sendAckData(new Refused("Name already taken."));
    } else {
      tell("joined", new User(user), null);
      members.put(client.getSessionId(), new Member(client, user));
      ack.sendAckData(new Joined(room.id(), true, room.last()));
    }
  }

  /** Also called by the library's timer, when a ping is not answered. */
  private void disconnected(SocketIOClient client) {
    if (loop.inEventLoop()) {
      leave(client);
    } else {
      loop.execute(() -> leave(client));
    }
  }

  private void leave(SocketIOClient client) {
    Member member = members.remove(client.getSessionId());
    if (member != null) {
      users.remove(member.user());
      tell("left", new User(member.user()), null);
    }
  }

  List<String> users() {
    return users.stream().sorted(CodePoints.ORDER).toList();
  }

  // #endregion chat.presence

  private void say(SocketIOClient client, String text, AckRequest ack) {
    Member author = members.get(client.getSessionId());
    if (author == null) {
      ack.sendAckData(new Refused("Join first."));
    } else if (!Rules.isText(text)) {
      ack.sendAckData(new Refused(Rules.TEXT));
    } else {
      Message message = room.post(author.user(), text);
      tell("message", message, author);
      ack.sendAckData(new Posted(true, message.id()));
    }
  }

  // #region chat.deliver
  /** A message that came over HTTP: its author is no connection. */
  void deliver(Message message) {
    tell("message", message, null);
  }

  /** At once, to all who have joined but one. Who does not take what is sent is sent away. */
  private void tell(String event, Object what, Member butNot) {
    for (Member member : List.copyOf(members.values())) {
      if (member != butNot) {
        member.client().sendEvent(event, what);
        if (member.client().getTransport() == Transport.POLLING
            && head(member.client()).getPacketsQueue(Transport.POLLING).size() > MAX_WAITING) {
          // Not from within: others would be told that it has left before what comes first.
          loop.execute(() -> end(head(member.client())));
        }
      }
    }
  }

  // #endregion chat.deliver

  /** When the server stops: clients that are told so come back to the next one. */
  void closeAll(SocketIOServer server) {
    loop.execute(
        () -> {
          members.clear();
          for (SocketIOClient client : server.getAllClients()) {
            client.send(new Packet(PacketType.CLOSE, EngineIOVersion.V4));
          }
        });
  }

  static void end(ClientHead client) {
    client.disconnect();
  }

  static ClientHead head(SocketIOClient client) {
    return ((NamespaceClient) client).getBaseClient();
  }
}
