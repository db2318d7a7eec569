package org.samewire.chat.room;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Component;

/** Who has asked for news a moment ago. Any thread may ask. */
@Component
class Presence {
  private static final long STAYS = Duration.ofSeconds(2).toNanos();

  /** When each was last seen, the longest ago first. */
  private final Map<String, Long> seen = new LinkedHashMap<>();

  // #region chat.presence
  synchronized void see(String user) {
    forgetWhoLeft();
    seen.remove(user);
    seen.put(user, System.nanoTime());
  }

  synchronized List<String> users() {
    forgetWhoLeft();
    return seen.keySet().stream().sorted(CodePoints.ORDER).toList();
  }

  private void forgetWhoLeft() {
    long now = System.nanoTime();
    Iterator<Long> times = seen.values().iterator();
    while (times.hasNext() && now - times.next() > STAYS) {
      times.remove();
    }
  }
  // #endregion chat.presence
}
