package org.samewire.chat;

import java.util.Arrays;
import java.util.Comparator;

/** The order of strings by code point; Java's own is by UTF-16 unit. */
final class CodePoints {
  static final Comparator<String> ORDER =
      (one, other) -> Arrays.compare(one.codePoints().toArray(), other.codePoints().toArray());

  private CodePoints() {}
}
