package org.samewire.upload;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The value of a header field with parameters, such as {@code form-data; name="files"}. Type and
 * names of parameters are in lower case. The suite's rules are browsers', not RFC 2231's: in a
 * quoted string only {@code \"} is an escape, since a backslash separates Windows' file names.
 */
record FieldValue(String type, Map<String, String> parameters) {

  /** Reads a value; what does not look like a parameter ends it. */
  static FieldValue parse(String text) {
    int end = endOfToken(text, 0);
    String type = text.substring(0, end).strip().toLowerCase(Locale.ROOT);
    Map<String, String> parameters = new HashMap<>();
    while (end < text.length() && text.charAt(end) == ';') {
      int equals = text.indexOf('=', end);
      if (equals < 0) {
        break;
      }
      String name = text.substring(end + 1, equals).strip().toLowerCase(Locale.ROOT);
      if (text.startsWith("\"", equals + 1)) {
        int close = endOfQuoted(text, equals + 2);
        if (close < 0) {
          break;
        }
        parameters.put(name, text.substring(equals + 2, close).replace("\\\"", "\""));
        end = endOfToken(text, close + 1);
      } else {
        end = endOfToken(text, equals + 1);
        parameters.put(name, text.substring(equals + 1, end).strip());
      }
    }
    return new FieldValue(type, parameters);
  }

  private static int endOfToken(String text, int from) {
    int semicolon = text.indexOf(';', from);
    return semicolon < 0 ? text.length() : semicolon;
  }

  private static int endOfQuoted(String text, int from) {
    int quote = text.indexOf('"', from);
    while (quote > from && text.charAt(quote - 1) == '\\') {
      quote = text.indexOf('"', quote + 1);
    }
    return quote;
  }
}
