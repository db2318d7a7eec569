package org.samewire.chat;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/**
 * Who has asked for news a moment ago, or listens. Any thread may ask. A user who gives no name is
 * null, and not shown.
 */
@Component
class Presence {
  private static final long STAYS_NANOS = Duration.ofSeconds(2).toNanos();

  /** When each was seen; a map in the order of access has the longest ago first. */
  private final Map<String, Long> seen = new LinkedHashMap<>(16, 0.75f, true);

  /** By how many requests that wait, and streams. */
  private final Map<String, Integer> listening = new HashMap<>();

  // #region chat.presence
  synchronized void see(String user) {
    forgetWhoLeft();
    if (user != null) {
      seen.put(user, System.nanoTime());
    }
  }

  synchronized void enter(String user) {
    if (user != null) {
      listening.merge(user, 1, Integer::sum);
    }
  }

  synchronized void leave(String user) {
    if (user != null) {
      listening.computeIfPresent(user, (name, times) -> times == 1 ? null : times - 1);
    }
  }

  synchronized List<String> users() {
    forgetWhoLeft();
    return Stream.concat(seen.keySet().stream(), listening.keySet().stream())
        .distinct()
        .sorted()
        .toList();
  }

  private void forgetWhoLeft() {
    long now = System.nanoTime();
    var times = seen.values().iterator();
    while (times.hasNext() && now - times.next() > STAYS_NANOS) {
      times.remove();
    }
  }
  // #endregion chat.presence
}
