package org.samewire.chat;

import java.nio.charset.StandardCharsets;

/** A message of the room, and the rules for what is in it. */
record Message(long id, String user, String text) {
  static final String USER_RULE = "user must be a string of 1 to 32 characters.";
  static final String TEXT_RULE = "text must be a string of 1 to 500 characters.";

  static boolean isUser(Object value) {
    return isString(value, 32);
  }

  static boolean isText(Object value) {
    return isString(value, 500);
  }

  private static boolean isString(Object value, int most) {
    return value instanceof String text
        && !text.isEmpty()
        && text.codePointCount(0, text.length()) <= most
        && text.chars().noneMatch(Character::isISOControl)
        // Half of a surrogate pair cannot.
        && StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }
}
