package org.samewire.chat;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** The messages. Any thread may ask. */
@Component
class Room {
  private static final int KEPT = 1000;

  record News(UUID room, List<Message> messages, long last) {}

  final UUID id = UUID.randomUUID();

  private final List<Message> newest = new ArrayList<>(KEPT);
  private long last;

  // #region chat.post-message
  synchronized Message post(String user, String text) {
    var message = new Message(++last, user, text);
    if (newest.size() == KEPT) {
      newest.remove(0);
    }
    newest.add(message);
    return message;
  }

  // #endregion chat.post-message

  // #region chat.deliver
  /** The messages and the last id are of the same moment. */
  synchronized News after(long after) {
    int size = newest.size();
    int wanted = (int) Math.max(0, Math.min(last - after, size));
    return new News(id, List.copyOf(newest.subList(size - wanted, size)), last);
  }
  // #endregion chat.deliver
}
