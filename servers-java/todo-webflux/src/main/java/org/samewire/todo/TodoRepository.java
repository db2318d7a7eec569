package org.samewire.todo;

import io.r2dbc.spi.Parameters;
import io.r2dbc.spi.R2dbcType;
import java.util.List;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.r2dbc.core.DatabaseClient.GenericExecuteSpec;
import org.springframework.r2dbc.core.StatementFilterFunction;
import org.springframework.stereotype.Repository;
import reactor.core.publisher.Mono;

/** One statement for each request: PostgreSQL keeps clients that come at the same time apart. */
@Repository
class TodoRepository {

  /** A page of the list; {@code next} is null on the last one. */
  record Page(List<Todo> items, Long next) {}

  private final DatabaseClient database;
  private final StatementFilterFunction timeLimit;

  TodoRepository(DatabaseClient database, StatementFilterFunction timeLimit) {
    this.database = database;
    this.timeLimit = timeLimit;
  }

  // #region todo.list
  Mono<Page> findPage(int limit, long after) {
    // One more than asked for tells whether there is a next page.
    return sql("""
            select id, title, completed
            from todos
            where id > :after
            order by id
            limit :limit
            """)
        .bind("after", after)
        .bind("limit", limit + 1)
        .mapProperties(Todo.class)
        .all()
        .collectList()
        .as(TodoRepository::toItsEnd)
        .map(
            todos ->
                todos.size() > limit
                    ? new Page(todos.subList(0, limit), todos.get(limit - 1).id())
                    : new Page(todos, null));
  }

  // #endregion todo.list

  /** Empty if there is none. */
  Mono<Todo> find(long id) {
    return sql("select id, title, completed from todos where id = :id")
        .bind("id", id)
        .mapProperties(Todo.class)
        .one()
        .as(TodoRepository::toItsEnd);
  }

  // #region todo.create
  Mono<Todo> insert(String title, boolean completed) {
    return sql("""
            insert into todos (title, completed)
            values (:title, :completed)
            returning id, title, completed
            """)
        .bind("title", title)
        .bind("completed", completed)
        .mapProperties(Todo.class)
        .one()
        .as(TodoRepository::toItsEnd);
  }

  // #endregion todo.create

  // #region todo.update
  /** What is null stays as it is. Empty if there is no such todo. */
  Mono<Todo> update(long id, String title, Boolean completed) {
    return sql("""
            update todos
            set title = coalesce(:title, title), completed = coalesce(:completed, completed)
            where id = :id
            returning id, title, completed
            """)
        .bind("title", Parameters.in(R2dbcType.VARCHAR, title))
        .bind("completed", Parameters.in(R2dbcType.BOOLEAN, completed))
        .bind("id", id)
        .mapProperties(Todo.class)
        .one()
        .as(TodoRepository::toItsEnd);
  }

  // #endregion todo.update

  Mono<Boolean> delete(long id) {
    return sql("delete from todos where id = :id")
        .bind("id", id)
        .fetch()
        .rowsUpdated()
        .as(TodoRepository::toItsEnd)
        .map(rows -> rows == 1);
  }

  Mono<Void> ping() {
    return sql("select 1").then().as(TodoRepository::toItsEnd);
  }

  /**
   * Also if its client leaves. Else the pool would hand the connection to the next client, whose
   * statement PostgreSQL begins when this one ends.
   */
  private static <T> Mono<T> toItsEnd(Mono<T> statement) {
    return Mono.fromFuture(statement::toFuture, true);
  }

  private GenericExecuteSpec sql(String sql) {
    return database.sql(sql).filter(timeLimit);
  }
}
