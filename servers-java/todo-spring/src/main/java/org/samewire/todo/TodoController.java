package org.samewire.todo;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

@RestController
// With "produces" an Accept that cannot be met is refused before anything is changed.
@RequestMapping(path = "/todos", produces = MediaType.APPLICATION_JSON_VALUE)
class TodoController {
  private static final String JSON = MediaType.APPLICATION_JSON_VALUE;
  private static final long MAX_ID = (1L << 53) - 1;

  record NewTodo(@NotNull @Title String title, Boolean completed) {}

  record Content(@NotNull @Title String title, @NotNull Boolean completed) {}

  /** What is not given stays as it is. */
  record Changes(@Title String title, Boolean completed) {}

  /** An id in the path. For a plain number Spring would take {@code 0x1} and {@code 1 0}, too. */
  record Id(long value) {
    public static Id valueOf(String text) {
      return new Id(Long.parseLong(text));
    }
  }

  private final TodoRepository todos;

  TodoController(TodoRepository todos) {
    this.todos = todos;
  }

  @GetMapping
  TodoRepository.Page list(
      @RequestParam(defaultValue = "50") @Min(1) @Max(100) int limit,
      @RequestParam(defaultValue = "0") @Min(0) @Max(MAX_ID) long after) {
    return todos.findPage(limit, after);
  }

  @PostMapping(consumes = JSON)
  ResponseEntity<Todo> create(@Valid @RequestBody NewTodo body) {
    Todo todo = todos.insert(body.title(), Boolean.TRUE.equals(body.completed()));
    return ResponseEntity.created(URI.create("/todos/" + todo.id())).body(todo);
  }

  @GetMapping("/{id}")
  Todo read(@PathVariable Id id) {
    return todos.find(id.value()).orElseThrow(TodoController::noSuchTodo);
  }

  @PutMapping(path = "/{id}", consumes = JSON)
  Todo replace(@PathVariable Id id, @Valid @RequestBody Content body) {
    return todos
        .update(id.value(), body.title(), body.completed())
        .orElseThrow(TodoController::noSuchTodo);
  }

  @PatchMapping(path = "/{id}", consumes = JSON)
  Todo change(@PathVariable Id id, @Valid @RequestBody Changes body) {
    return todos
        .update(id.value(), body.title(), body.completed())
        .orElseThrow(TodoController::noSuchTodo);
  }

  @DeleteMapping("/{id}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void delete(@PathVariable Id id) {
    if (!todos.delete(id.value())) {
      throw noSuchTodo();
    }
  }

  private static ResponseStatusException noSuchTodo() {
    return new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no such todo.");
  }
}
