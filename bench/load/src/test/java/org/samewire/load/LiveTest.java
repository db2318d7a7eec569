package org.samewire.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LiveTest {
  private static final long MS = 1_000_000;

  private final List<Map<String, ?>> lines = new ArrayList<>();
  private final Live live = new Live(0.25, null, lines::add);

  private Map<?, ?> line(int number) {
    return (Map<?, ?>) lines.get(number).get("live");
  }

  @Test
  void aLineHasWhatCameSinceTheLast() {
    live.answered(10 * MS);
    live.failed();
    live.advance(249 * MS, 3);
    assertEquals(0, lines.size());

    live.advance(260 * MS, 3);
    assertEquals(2, line(0).get("requests"));
    assertEquals(1, line(0).get("errors"));
    assertEquals(10, (double) line(0).get("p99_ms"), 0.1);
    assertEquals(0.26, (double) line(0).get("seconds"), 1e-9);

    live.answered(20 * MS);
    live.advance(520 * MS, 2);
    assertEquals(1, line(1).get("requests"));
    assertEquals(2, line(1).get("users"));
    assertEquals(20, (double) line(1).get("p50_ms"), 0.2);
  }

  @Test
  void whereNothingCameThereIsNoLatency() {
    live.advance(300 * MS, 1);
    assertEquals(0, line(0).get("requests"));
    assertNull(line(0).get("p50_ms"));
  }
}
