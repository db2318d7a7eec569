package org.samewire.randoms;

import java.util.LinkedHashMap;
import java.util.Map;

/** How often each number was drawn; numbers that were not drawn are left out. */
record Result(int count, Map<Integer, Integer> counts) {

  /** The times of number n are at n - 1. */
  static Result of(int count, int[] times) {
    var counts = new LinkedHashMap<Integer, Integer>();
    for (int i = 0; i < times.length; i++) {
      if (times[i] > 0) {
        counts.put(i + 1, times[i]);
      }
    }
    return new Result(count, counts);
  }
}
