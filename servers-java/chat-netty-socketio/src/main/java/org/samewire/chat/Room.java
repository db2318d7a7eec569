package org.samewire.chat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;

/** The newest messages. Only {@link Chat} uses it, by one thread at a time. */
final class Room {
  private static final int KEPT = 1_000;

  private final UUID id = UUID.randomUUID();
  private final Deque<Message> newest = new ArrayDeque<>();
  private long last;

  UUID id() {
    return id;
  }

  long last() {
    return last;
  }

  // #region chat.post-message
  Message add(String user, String text) {
    last++;
    var message = new Message(last, user, text);
    newest.add(message);
    if (newest.size() > KEPT) {
      newest.remove();
    }
    return message;
  }

  // #endregion chat.post-message

  List<Message> after(long id) {
    return newest.stream().filter(message -> message.id() > id).toList();
  }
}
