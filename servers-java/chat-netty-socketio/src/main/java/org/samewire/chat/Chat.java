package org.samewire.chat;

import com.corundumstudio.socketio.AckRequest;
import com.corundumstudio.socketio.SocketIOClient;
import com.corundumstudio.socketio.SocketIOServer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.samewire.chat.library.SlowPolls;

/**
 * The room, and who is in it. The event loop calls it for messages, the library's timer when a ping
 * is not answered: hence the locks.
 */
final class Chat {
  private static final String MEMBERS = "members";

  record Joined(UUID room, boolean ok, long last) {}

  record Said(boolean ok, long id) {}

  record Refused(boolean ok, String error) {
    Refused(String error) {
      this(false, error);
    }
  }

  record News(UUID room, List<Message> messages, long last) {}

  record Posted(UUID room, long id, String user, String text) {}

  record Presence(UUID room, List<String> users) {}

  private final Room room = new Room();

  /** The names of those who have joined, by session. */
  private final Map<UUID, String> users = new HashMap<>();

  private final SocketIOServer server;
  private final SlowPolls slowPolls;

  Chat(SocketIOServer server, SlowPolls slowPolls) {
    this.server = server;
    this.slowPolls = slowPolls;
    // As an Object, so that a number or a list can be refused.
    server.addEventListener("join", Object.class, this::join);
    server.addEventListener("message", Object.class, this::say);
    server.addDisconnectListener(this::leave);
  }

  // #region chat.presence
  private synchronized void join(SocketIOClient client, Object user, AckRequest ack) {
    if (server.getClient(client.getSessionId()) == null) {
      // Its ping was not answered in time: it has left.
      return;
    }
    if (users.containsKey(client.getSessionId())) {
      ack.sendAckData(new Refused("Already joined."));
    } else if (!Message.isUser(user)) {
      ack.sendAckData(new Refused(Message.USER_RULE));
    } else if (users.containsValue(user)) {
      ack.sendAckData(new Refused("Name already taken."));
    } else {
      tell("joined", Map.of("user", user), client);
      users.put(client.getSessionId(), (String) user);
      client.joinRoom(MEMBERS);
      ack.sendAckData(new Joined(room.id(), true, room.last()));
      // Last: it may end this session, too.
      slowPolls.sent(users.size());
    }
  }

  /** Not for {@code slowPolls}: those that it ends leave, and that would be a recursion. */
  private synchronized void leave(SocketIOClient client) {
    String user = users.remove(client.getSessionId());
    if (user != null) {
      tell("left", Map.of("user", user), client);
    }
  }

  synchronized Presence presence() {
    return new Presence(room.id(), users.values().stream().sorted().toList());
  }

  // #endregion chat.presence

  // #region chat.post-message
  private synchronized void say(SocketIOClient client, Object text, AckRequest ack) {
    String user = users.get(client.getSessionId());
    if (user == null) {
      ack.sendAckData(new Refused("Join first."));
    } else if (!Message.isText(text)) {
      ack.sendAckData(new Refused(Message.TEXT_RULE));
    } else {
      Message message = room.add(user, (String) text);
      tell("message", message, client);
      slowPolls.sent(users.size());
      ack.sendAckData(new Said(true, message.id()));
    }
  }

  // #endregion chat.post-message

  /** Over HTTP, by anybody. */
  synchronized Posted post(String user, String text) {
    Message message = room.add(user, text);
    tell("message", message, null);
    slowPolls.sent(users.size());
    return new Posted(room.id(), message.id(), user, text);
  }

  synchronized News after(long id) {
    return new News(room.id(), room.after(id), room.last());
  }

  // #region chat.deliver
  /** At once, to all members but one. */
  private void tell(String event, Object what, SocketIOClient butNot) {
    server.getRoomOperations(MEMBERS).sendEvent(event, client -> client.equals(butNot), what);
  }

  // #endregion chat.deliver

  /** When the server stops, nobody is told who leaves. */
  synchronized void close() {
    users.clear();
  }
}
