package org.samewire.chat;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.stereotype.Component;

/** Requests that wait for a message. Each takes a connection, and no thread. */
@Component
class LongPolls {
  /** As many connections are left for others: see server.tomcat.max-connections. */
  private static final int MAX_WAITING = 1000;

  private final Room room;
  private final Presence presence;

  /** The end of each wait, and the message after which it is. */
  private final Map<CompletableFuture<Void>, Long> waiting = new ConcurrentHashMap<>();

  private volatile boolean stopping;

  LongPolls(Room room, Presence presence) {
    this.room = room;
    this.presence = presence;
  }

  // #region chat.long-poll
  CompletableFuture<Room.News> start(long after, Duration time, String user) {
    if (waiting.size() >= MAX_WAITING) {
      throw new TaskRejectedException("As many requests wait as may.");
    }
    var end = new CompletableFuture<Void>();
    presence.enter(user);
    // First it waits, then it looks: a message is seen here, or comes later and is told.
    waiting.put(end, after);
    if (stopping || room.after(after).last() > after) {
      end.complete(null);
    }
    // Tomcat's time-out, that of a DeferredResult, may come a second late.
    return end.completeOnTimeout(null, time.toMillis(), MILLISECONDS)
        .thenApply(
            none -> {
              waiting.remove(end);
              presence.see(user);
              presence.leave(user);
              return room.after(after);
            });
  }

  void tell(Message message) {
    waiting.forEach(
        (end, after) -> {
          if (message.id() > after) {
            end.complete(null);
          }
        });
  }

  // #endregion chat.long-poll

  /** Else a stop waits for all of them. */
  @EventListener(ContextClosedEvent.class)
  void stop() {
    stopping = true;
    waiting.keySet().forEach(end -> end.complete(null));
  }
}
