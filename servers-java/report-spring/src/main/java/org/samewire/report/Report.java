package org.samewire.report;

import java.util.Base64;
import java.util.List;
import org.samewire.report.TodoList.Todo;

/** What the template shows. */
record Report(List<Todo> todos, String image) {

  static Report of(TodoList list, byte[] picture) {
    return new Report(list.items(), Base64.getEncoder().encodeToString(picture));
  }

  int total() {
    return todos.size();
  }

  int completed() {
    return (int) todos.stream().filter(Todo::completed).count();
  }

  int open() {
    return total() - completed();
  }

  /** Rounded half up; 0 for an empty list. */
  int percentage() {
    return total() == 0 ? 0 : (200 * completed() + total()) / (2 * total());
  }
}
