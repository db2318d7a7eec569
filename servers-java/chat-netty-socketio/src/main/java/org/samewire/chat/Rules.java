package org.samewire.chat;

import java.nio.charset.StandardCharsets;

/** What names and texts may be. */
final class Rules {
  static final String USER = "user must be a string of 1 to 32 characters.";
  static final String TEXT = "text must be a string of 1 to 500 characters.";

  private Rules() {}

  static boolean isUser(String user) {
    return isText(user, 32);
  }

  static boolean isText(String text) {
    return isText(text, 500);
  }

  private static boolean isText(String text, int max) {
    return text != null
        && !text.isEmpty()
        && text.codePointCount(0, text.length()) <= max
        && text.chars().noneMatch(Character::isISOControl)
        // Half of a surrogate pair is not.
        && StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }
}
