package org.samewire.randoms.web;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The codings that a client takes, with their quality values (RFC 9110, 12.5.3). */
record AcceptEncoding(Map<String, Double> qualities) {
  private static final Pattern ELEMENT =
      Pattern.compile("([^\\s;]+)(?:[ \\t]*;[ \\t]*q=(0(?:\\.[0-9]{0,3})?|1(?:\\.0{0,3})?))?");

  /** Several fields are one list. An element that is malformed is none. */
  static AcceptEncoding of(List<String> fields) {
    Map<String, Double> qualities = new HashMap<>();
    for (String element : String.join(",", fields).split(",")) {
      Matcher matcher = ELEMENT.matcher(element.strip().toLowerCase(Locale.ROOT));
      if (matcher.matches()) {
        String quality = matcher.group(2);
        qualities.put(matcher.group(1), quality == null ? 1 : Double.parseDouble(quality));
      }
    }
    return new AcceptEncoding(qualities);
  }

  /** As it is counts only if it is asked for by name. */
  boolean prefersGzip() {
    double gzip = qualities.getOrDefault("gzip", qualities.getOrDefault("*", 0.0));
    return gzip > 0 && gzip >= qualities.getOrDefault("identity", 0.0);
  }
}
