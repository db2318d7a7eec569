package org.samewire.chat;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Component;

/** Who has asked for news a moment ago. Any thread may ask. */
@Component
class Presence {
  private static final long STAYS_NANOS = Duration.ofSeconds(2).toNanos();

  /** When each was seen; a map in the order of access has the longest ago first. */
  private final Map<String, Long> seen = new LinkedHashMap<>(16, 0.75f, true);

  // #region chat.presence
  synchronized void see(String user) {
    forgetWhoLeft();
    seen.put(user, System.nanoTime());
  }

  synchronized List<String> users() {
    forgetWhoLeft();
    return seen.keySet().stream().sorted().toList();
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
