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
import reactor.core.publisher.Mono;

/** Each method returns at once. What it returns runs when WebFlux subscribes to it. */
@RestController
// With "produces" an Accept that cannot be met is refused before anything is changed.
@RequestMapping(path = "/todos", produces = MediaType.APPLICATION_JSON_VALUE)
class TodoController {
  private static final String JSON = MediaType.APPLICATION_JSON_VALUE;
  // For a number without a pattern Spring takes 0x1, too.
  private static final String ID = "/{id:[0-9]+}";
  private static final long MAX_ID = (1L << 53) - 1;

  record NewTodo(@NotNull @Title String title, Boolean completed) {}

  record Content(@NotNull @Title String title, @NotNull Boolean completed) {}

  /** What is not given stays as it is. */
  record Changes(@Title String title, Boolean completed) {}

  private final TodoRepository todos;

  TodoController(TodoRepository todos) {
    this.todos = todos;
  }

  // #region todo.list
  @GetMapping
  Mono<TodoRepository.Page> list(
      @RequestParam(defaultValue = "50") @Min(1) @Max(100) int limit,
      @RequestParam(defaultValue = "0") @Min(0) @Max(MAX_ID) long after) {
    return todos.findPage(limit, after);
  }

  // #endregion todo.list

  // #region todo.create
  @PostMapping(consumes = JSON)
  Mono<ResponseEntity<Todo>> create(@Valid @RequestBody Mono<NewTodo> body) {
    return body.flatMap(todo -> todos.insert(todo.title(), Boolean.TRUE.equals(todo.completed())))
        .map(todo -> ResponseEntity.created(URI.create("/todos/" + todo.id())).body(todo));
  }

  // #endregion todo.create

  @GetMapping(ID)
  Mono<Todo> read(@PathVariable long id) {
    return todos.find(id).switchIfEmpty(noSuchTodo());
  }

  // #region todo.update
  @PutMapping(path = ID, consumes = JSON)
  Mono<Todo> replace(@PathVariable long id, @Valid @RequestBody Mono<Content> body) {
    return body.flatMap(todo -> todos.update(id, todo.title(), todo.completed()))
        .switchIfEmpty(noSuchTodo());
  }

  @PatchMapping(path = ID, consumes = JSON)
  Mono<Todo> change(@PathVariable long id, @Valid @RequestBody Mono<Changes> body) {
    return body.flatMap(todo -> todos.update(id, todo.title(), todo.completed()))
        .switchIfEmpty(noSuchTodo());
  }

  // #endregion todo.update

  @DeleteMapping(ID)
  @ResponseStatus(HttpStatus.NO_CONTENT)
  Mono<Void> delete(@PathVariable long id) {
    return todos.delete(id).filter(deleted -> deleted).switchIfEmpty(noSuchTodo()).then();
  }

  private static <T> Mono<T> noSuchTodo() {
    return Mono.error(
        () -> new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no such todo."));
  }
}
