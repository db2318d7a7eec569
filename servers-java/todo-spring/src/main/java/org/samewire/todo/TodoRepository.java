package org.samewire.todo;

import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** One statement for each request: PostgreSQL keeps clients that come at the same time apart. */
@Repository
class TodoRepository {

  /** A page of the list; {@code next} is null on the last one. */
  record Page(List<Todo> items, Long next) {}

  private final JdbcClient database;

  TodoRepository(JdbcClient database) {
    this.database = database;
  }

  // #region todo.list
  Page findPage(int limit, long after) {
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
            .query(Todo.class)
            .list();
    return todos.size() > limit
        ? new Page(todos.subList(0, limit), todos.get(limit - 1).id())
        : new Page(todos, null);
  }

  // #endregion todo.list

  Optional<Todo> find(long id) {
    return database
        .sql("select id, title, completed from todos where id = :id")
        .param("id", id)
        .query(Todo.class)
        .optional();
  }

  // #region todo.create
  Todo insert(String title, boolean completed) {
    return database
        .sql(
            """
            insert into todos (title, completed)
            values (:title, :completed)
            returning id, title, completed
            """)
        .param("title", title)
        .param("completed", completed)
        .query(Todo.class)
        .single();
  }

  // #endregion todo.create

  // #region todo.update
  /** What is null stays as it is. */
  Optional<Todo> update(long id, String title, Boolean completed) {
    return database
        .sql(
            """
            update todos
            set title = coalesce(:title, title), completed = coalesce(:completed, completed)
            where id = :id
            returning id, title, completed
            """)
        .param("title", title)
        .param("completed", completed)
        .param("id", id)
        .query(Todo.class)
        .optional();
  }

  // #endregion todo.update

  boolean delete(long id) {
    return database.sql("delete from todos where id = :id").param("id", id).update() == 1;
  }
}
