package org.samewire.todo.item;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import org.samewire.todo.web.JsonBody;
import org.samewire.todo.web.ProblemException;
import org.springframework.http.HttpStatus;

/** What a body says of a todo; a member that it leaves out is null. */
record TodoBody(String title, Boolean completed) {
  private static final String TITLE = "title";
  private static final String COMPLETED = "completed";
  private static final int MAX_TITLE = 200;

  private static final Comparator<String> BY_CODE_POINT =
      (one, other) -> Arrays.compare(one.codePoints().toArray(), other.codePoints().toArray());

  /** A body that may have any of the members. */
  static TodoBody read(HttpServletRequest request) throws IOException {
    return read(request, Set.of());
  }

  static TodoBody readWithTitle(HttpServletRequest request) throws IOException {
    return read(request, Set.of(TITLE));
  }

  static TodoBody readWhole(HttpServletRequest request) throws IOException {
    return read(request, Set.of(TITLE, COMPLETED));
  }

  private static TodoBody read(HttpServletRequest request, Set<String> required)
      throws IOException {
    Map<String, Object> members =
        JsonBody.object(request).orElseThrow(() -> broken("Request body must be an object."));
    members.keySet().stream()
        .filter(name -> !name.equals(TITLE) && !name.equals(COMPLETED))
        .min(BY_CODE_POINT)
        .ifPresent(
            name -> {
              throw broken("Unknown member: " + name + ".");
            });
    return new TodoBody(
        title(members, required.contains(TITLE)), completed(members, required.contains(COMPLETED)));
  }

  private static String title(Map<String, Object> members, boolean required) {
    if (!members.containsKey(TITLE)) {
      return absent(TITLE, required);
    }
    if (members.get(TITLE) instanceof String title
        && title.codePointCount(0, title.length()) <= MAX_TITLE
        && title.indexOf('\0') < 0
        && !title.chars().allMatch(TodoBody::isWhiteSpace)) {
      return title;
    }
    throw broken("title must be a string of 1 to " + MAX_TITLE + " characters.");
  }

  private static Boolean completed(Map<String, Object> members, boolean required) {
    if (!members.containsKey(COMPLETED)) {
      return absent(COMPLETED, required);
    }
    if (members.get(COMPLETED) instanceof Boolean completed) {
      return completed;
    }
    throw broken("completed must be a boolean.");
  }

  private static <T> T absent(String name, boolean required) {
    if (required) {
      throw broken(name + " is required.");
    }
    return null;
  }

  private static boolean isWhiteSpace(int c) {
    return c >= '\t' && c <= '\r' || c == ' ';
  }

  private static ProblemException broken(String rule) {
    return new ProblemException(HttpStatus.UNPROCESSABLE_CONTENT, rule);
  }
}
