package org.samewire.chat;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The one room: its newest messages. */
final class Room {
  private static final int KEPT = 1_000;

  private final UUID id = UUID.randomUUID();

  /** The message with id n is at (n - 1) % KEPT. */
  private final Message[] newest = new Message[KEPT];

  private long last;

  UUID id() {
    return id;
  }

  long last() {
    return last;
  }

  // #region chat.post-message
  /** Name and text have been checked; all that happens in the room is done by one thread. */
  Message post(String user, String text) {
    var message = new Message(last + 1, user, text);
    newest[(int) (last % KEPT)] = message;
    last = message.id();
    return message;
  }

  // #endregion chat.post-message

  List<Message> after(long id) {
    List<Message> messages = new ArrayList<>();
    for (long n = Math.max(id, last - KEPT); n < last; n++) {
      messages.add(newest[(int) (n % KEPT)]);
    }
    return messages;
  }
}
