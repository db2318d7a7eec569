package org.samewire.chat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.stereotype.Component;

/** The messages. Any thread may ask, and may wait. */
@Component
class Room {
  private static final int KEPT = 1000;

  record News(UUID room, List<Message> messages, long last) {}

  final UUID id = UUID.randomUUID();

  // Until JDK 24, a virtual thread that waits for a monitor keeps its carrier.
  private final Lock lock = new ReentrantLock();
  private final Condition posted = lock.newCondition();
  private final List<Message> newest = new ArrayList<>(KEPT);
  private long last;

  // #region chat.post-message
  Message post(String user, String text) {
    lock.lock();
    try {
      var message = new Message(++last, user, text);
      if (newest.size() == KEPT) {
        newest.remove(0);
      }
      newest.add(message);
      posted.signalAll();
      return message;
    } finally {
      lock.unlock();
    }
  }

  // #endregion chat.post-message

  // #region chat.deliver
  /** The messages and the last id are of the same moment. */
  News after(long after) {
    lock.lock();
    try {
      int size = newest.size();
      int wanted = (int) Math.max(0, Math.min(last - after, size));
      return new News(id, List.copyOf(newest.subList(size - wanted, size)), last);
    } finally {
      lock.unlock();
    }
  }

  // #endregion chat.deliver

  // #region chat.events
  /** As soon as there are messages, or without any when the time is over. The thread waits. */
  News await(long after, Duration time) throws InterruptedException {
    lock.lock();
    try {
      long nanos = time.toNanos();
      while (last <= after && nanos > 0) {
        nanos = posted.awaitNanos(nanos);
      }
      return after(after);
    } finally {
      lock.unlock();
    }
  }
  // #endregion chat.events
}
