package org.samewire.todo

import org.apache.pekko.Done
import com.github.jasync.sql.db.{Connection, QueryResult, RowData}
import scala.concurrent.{ExecutionContext, Future}
import scala.jdk.CollectionConverters._
import scala.jdk.FutureConverters._

/** The table of todos: one statement for each method. */
final class TodoTable(connections: Connection) {
  // What is done with an answer is little. It stays on the driver's thread.
  private implicit val executionContext: ExecutionContext = ExecutionContext.parasitic

  // #region todo.list
  /** One row more than is asked for says whether there is a next page. */
  def list(after: Long, limit: Int): Future[Page] =
    query(
      "select id, title, completed from todos where id > ? order by id limit ?",
      after,
      limit + 1
    ).map { rows =>
      val items = rows.take(limit)
      Page(items, next = Option.when(rows.size > limit)(items.last.id))
    }
  // #endregion todo.list

  def find(id: Long): Future[Option[Todo]] =
    query("select id, title, completed from todos where id = ?", id).map(_.headOption)

  // #region todo.create
  def add(todo: NewTodo): Future[Todo] =
    query(
      "insert into todos (title, completed) values (?, ?) returning id, title, completed",
      todo.title,
      todo.completed.getOrElse(false)
    ).map(_.head)
  // #endregion todo.create

  // #region todo.update
  /** One statement sets the members that are given, so that no other change is lost. */
  def change(id: Long, changes: Changes): Future[Option[Todo]] =
    query(
      "update todos set title = coalesce(?, title), completed = coalesce(?, completed)" +
        " where id = ? returning id, title, completed",
      changes.title.orNull,
      changes.completed.map(Boolean.box).orNull,
      id
    ).map(_.headOption)
  // #endregion todo.update

  /** Whether it was there. */
  def remove(id: Long): Future[Boolean] =
    execute("delete from todos where id = ?", id).map(_.getRowsAffected == 1)

  def ping(): Future[Done] = execute("select 1").map(_ => Done)

  private def query(sql: String, values: Any*): Future[Seq[Todo]] =
    execute(sql, values: _*).map(_.getRows.asScala.map(todo).toSeq)

  private def todo(row: RowData): Todo =
    Todo(row.getLong(0), row.getString(1), row.getBoolean(2))

  private def execute(sql: String, values: Any*): Future[QueryResult] =
    connections
      .sendPreparedStatement(sql, values.asJava)
      .asScala
      .transform(identity, Database.explain)
}
