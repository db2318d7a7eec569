package org.samewire.chat.room;

import org.samewire.chat.web.ProblemException;
import org.springframework.http.HttpStatus;

/** What names and texts may be. */
final class Rules {
  private static final int MAX_USER = 32;
  private static final int MAX_TEXT = 500;

  private Rules() {}

  static String user(String user) {
    return checked("user", user, MAX_USER);
  }

  static String text(String text) {
    return checked("text", text, MAX_TEXT);
  }

  /** The value, unless it is null, empty, too long or has control characters. */
  private static String checked(String name, String value, int max) {
    if (value != null
        && !value.isEmpty()
        && value.codePointCount(0, value.length()) <= max
        && value.chars().noneMatch(Character::isISOControl)) {
      return value;
    }
    throw new ProblemException(
        HttpStatus.BAD_REQUEST, name + " must be a string of 1 to " + max + " characters.");
  }
}
