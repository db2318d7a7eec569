package org.samewire.randoms.draws;

import static java.nio.charset.StandardCharsets.US_ASCII;

/** A result as JSON: numbers that were drawn, ascending, and how often. */
record Result(String json) {

  /** The count of n is at n - 1. */
  Result(int count, int[] counts) {
    this(json(count, counts));
  }

  byte[] bytes() {
    return json.getBytes(US_ASCII);
  }

  private static String json(int count, int[] counts) {
    var json = new StringBuilder(16 * counts.length).append("{\"count\":").append(count);
    json.append(",\"counts\":{");
    String separator = "";
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        json.append(separator).append('"').append(i + 1).append("\":").append(counts[i]);
        separator = ",";
      }
    }
    return json.append("}}").toString();
  }
}
