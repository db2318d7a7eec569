package org.samewire.chat.room;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** The one room: its newest messages. Any thread may ask. */
@Component
class Room {
  private static final int KEPT = 1_000;

  /** What came after a message, and the id of the last there is. */
  record News(List<Message> messages, long last) {}

  private final UUID id = UUID.randomUUID();

  /** The message with id n is at (n - 1) % KEPT. */
  private final Message[] newest = new Message[KEPT];

  private long last;

  UUID id() {
    return id;
  }

  // #region chat.post-message
  synchronized Message post(MessageBody body) {
    var message = new Message(last + 1, body.user(), body.text());
    newest[(int) (last % KEPT)] = message;
    last = message.id();
    return message;
  }

  // #endregion chat.post-message

  // #region chat.deliver
  synchronized News after(long id) {
    List<Message> messages = new ArrayList<>();
    for (long n = Math.max(id, last - KEPT); n < last; n++) {
      messages.add(newest[(int) (n % KEPT)]);
    }
    return new News(messages, last);
  }
  // #endregion chat.deliver
}
