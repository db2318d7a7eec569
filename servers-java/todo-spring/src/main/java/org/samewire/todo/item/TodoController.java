package org.samewire.todo.item;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URI;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;
import org.samewire.todo.web.ProblemException;
import org.samewire.todo.web.Query;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * The routes of the todos. Each asks the database once, so that nothing is lost between two
 * clients. Bodies are read by TodoBody: its rules are stricter than a message converter's.
 */
@RestController
@RequestMapping("/todos")
class TodoController {
  private static final int DEFAULT_LIMIT = 50;
  private static final int MAX_LIMIT = 100;
  private static final Pattern NATURAL = Pattern.compile("0|[1-9][0-9]{0,18}");

  /** A page of the list; {@code next} is null on the last one. */
  record Page(List<Todo> items, Long next) {}

  private final JdbcClient database;

  TodoController(JdbcClient database) {
    this.database = database;
  }

  // #region todo.list
  @GetMapping
  Page list(HttpServletRequest request) {
    int limit = limit(Query.first(request, "limit"));
    long after = after(Query.first(request, "after"));
    // One more than asked for tells whether there is a next page.
    List<Todo> todos =
        database
            .sql(
                """
                select id, title, completed
                from todos
                where id > :after
                order by id
                limit :limit
                """)
            .param("after", after)
            .param("limit", limit + 1)
            .query(TodoController::todo)
            .list();
    return todos.size() > limit
        ? new Page(todos.subList(0, limit), todos.get(limit - 1).id())
        : new Page(todos, null);
  }

  // #endregion todo.list

  // #region todo.create
  @PostMapping
  ResponseEntity<Todo> create(HttpServletRequest request) throws IOException {
    TodoBody body = TodoBody.readWithTitle(request);
    Todo todo =
        database
            .sql(
                """
                insert into todos (title, completed)
                values (:title, :completed)
                returning id, title, completed
                """)
            .param("title", body.title())
            .param("completed", Boolean.TRUE.equals(body.completed()))
            .query(TodoController::todo)
            .single();
    return ResponseEntity.created(URI.create("/todos/" + todo.id())).body(todo);
  }

  // #endregion todo.create

  @GetMapping("/{id}")
  Todo show(@PathVariable String id) {
    return database
        .sql("select id, title, completed from todos where id = :id")
        .param("id", number(id))
        .query(TodoController::todo)
        .optional()
        .orElseThrow(TodoController::noSuchTodo);
  }

  // #region todo.update
  @PutMapping("/{id}")
  Todo replace(@PathVariable String id, HttpServletRequest request) throws IOException {
    return update(TodoBody.readWhole(request), id);
  }

  @PatchMapping("/{id}")
  Todo change(@PathVariable String id, HttpServletRequest request) throws IOException {
    return update(TodoBody.read(request), id);
  }

  private Todo update(TodoBody body, String id) {
    return database
        .sql(
            """
            update todos
            set title = coalesce(:title, title), completed = coalesce(:completed, completed)
            where id = :id
            returning id, title, completed
            """)
        .param("title", body.title())
        .param("completed", body.completed())
        .param("id", number(id))
        .query(TodoController::todo)
        .optional()
        .orElseThrow(TodoController::noSuchTodo);
  }

  // #endregion todo.update

  @DeleteMapping("/{id}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void delete(@PathVariable String id) {
    if (database.sql("delete from todos where id = :id").param("id", number(id)).update() == 0) {
      throw noSuchTodo();
    }
  }

  private static Todo todo(ResultSet row, int index) throws SQLException {
    return new Todo(row.getLong("id"), row.getString("title"), row.getBoolean("completed"));
  }

  private static ProblemException noSuchTodo() {
    return new ProblemException(HttpStatus.NOT_FOUND, "No such todo.");
  }

  private static int limit(String text) {
    long limit = text == null ? DEFAULT_LIMIT : natural(text);
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new ProblemException(
          HttpStatus.BAD_REQUEST, "limit must be an integer from 1 to " + MAX_LIMIT + ".");
    }
    return (int) limit;
  }

  private static long after(String text) {
    long after = text == null ? 0 : natural(text);
    if (after < 0) {
      throw new ProblemException(HttpStatus.BAD_REQUEST, "after must be a non-negative integer.");
    }
    return after;
  }

  /** An id as a number. What is none is the id of no todo, and the database is not asked. */
  private static long number(String id) {
    long number = natural(id);
    if (number < 1) {
      throw noSuchTodo();
    }
    return number;
  }

  /**
   * The value of ASCII digits without sign or leading zero, -1 if it is not that or over 64 bits.
   */
  private static long natural(String text) {
    if (!NATURAL.matcher(text).matches()) {
      return -1;
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
