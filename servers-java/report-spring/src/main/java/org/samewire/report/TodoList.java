package org.samewire.report;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import java.util.List;

record TodoList(@JsonSetter(contentNulls = Nulls.FAIL) List<Todo> items) {

  record Todo(long id, String title, boolean completed) {
    String state() {
      return completed ? "completed" : "open";
    }
  }
}
