package org.samewire.todo

import com.github.jasync.sql.db.postgresql.PostgreSQLConnectionBuilder
import com.github.jasync.sql.db.postgresql.exceptions.GenericDatabaseException
import com.github.jasync.sql.db.{
  Connection,
  ConnectionPoolConfigurationBuilder,
  QueryResult,
  RowData
}
import java.io.IOException
import java.util.concurrent.{CompletionException, Executor, TimeoutException}
import scala.concurrent.duration._
import scala.concurrent.{ExecutionContext, Future}
import scala.jdk.CollectionConverters._
import scala.jdk.FutureConverters._

final case class Todo(id: Long, title: String, completed: Boolean)

/** Some TODOs, and the id after which there are more. */
final case class Page(items: Seq[Todo], next: Option[Long])

/** The table of TODOs. */
final class TodoTable(connections: Connection)(implicit executionContext: ExecutionContext) {

  // #region todo.list
  /** One row more than is asked for says whether there is a next page. */
  def list(after: Long, limit: Int): Future[Page] =
    query(
      "select id, title, completed from todos where id > ? order by id limit ?",
      after,
      limit + 1
    )
      .map { rows =>
        val items = rows.take(limit)
        Page(items, Option.when(rows.size > limit)(items.last.id))
      }
  // #endregion todo.list

  def find(id: Long): Future[Option[Todo]] =
    query("select id, title, completed from todos where id = ?", id).map(_.headOption)

  // #region todo.create
  def add(title: String, completed: Boolean): Future[Todo] =
    query(
      "insert into todos (title, completed) values (?, ?) returning id, title, completed",
      title,
      completed
    ).map(_.head)
  // #endregion todo.create

  // #region todo.update
  /** One statement sets the members that are given, so that no other change is lost. */
  def change(id: Long, title: Option[String], completed: Option[Boolean]): Future[Option[Todo]] =
    if (title.isEmpty && completed.isEmpty) find(id)
    else
      query(
        "update todos set title = coalesce(?, title), completed = coalesce(?, completed)" +
          " where id = ? returning id, title, completed",
        title.orNull,
        completed.map(Boolean.box).orNull,
        id
      ).map(_.headOption)
  // #endregion todo.update

  /** Whether it was there. */
  def remove(id: Long): Future[Boolean] =
    execute("delete from todos where id = ?", id).map(_.getRowsAffected == 1)

  def ping(): Future[Unit] = execute("select 1").map(_ => ())

  private def query(sql: String, values: Any*): Future[Seq[Todo]] =
    execute(sql, values: _*).map(_.getRows.asScala.map(todo).toSeq)

  private def todo(row: RowData): Todo =
    Todo(row.getLong(0), row.getString(1), row.getBoolean(2))

  private def execute(sql: String, values: Any*): Future[QueryResult] =
    connections.sendPreparedStatement(sql, values.asJava).asScala
}

object TodoTable {

  private val ConnectTimeout = 1.second
  private val StatementTimeout = 1500.millis

  /** Classes of SQLSTATE in which PostgreSQL itself says that it cannot serve at present:
    * connection lost or refused, no such database or user yet, out of resources, shutting down or
    * cancelled.
    */
  private val Away = Set("08", "28", "3D", "53", "57", "58")

  // #region database.pool
  /** The driver's defaults are one connection, and callbacks on a pool that is one thread on two
    * cores. Statements are prepared once per connection.
    */
  def pool(database: Configuration.Database, executor: Executor): Connection = {
    val settings = new ConnectionPoolConfigurationBuilder()
    settings.setHost(database.host)
    settings.setPort(database.port)
    settings.setDatabase(database.name)
    settings.setUsername(database.user)
    settings.setPassword(database.password.orNull)
    settings.setMaxActiveConnections(10)
    settings.setMaxPendingQueries(1024)
    settings.setConnectionCreateTimeout(ConnectTimeout.toMillis)
    settings.setConnectionTestTimeout(ConnectTimeout.toMillis)
    settings.setConnectionValidationInterval(ConnectTimeout.toMillis)
    settings.setQueryTimeout(StatementTimeout.toMillis)
    settings.setExecutionContext(executor)
    PostgreSQLConnectionBuilder.createConnectionPool(settings)
  }
  // #endregion database.pool

  def isAway(failure: Throwable): Boolean = failure match {
    case wrapped: CompletionException if wrapped.getCause != null => isAway(wrapped.getCause)
    case refused: GenericDatabaseException                        =>
      Away(String.valueOf(refused.getErrorMessage.getFields.get('C')).take(2))
    case _: IOException | _: TimeoutException => true
    // "not connected", "wait queue is full"
    case _: IllegalStateException                                 => true
    case _: com.github.jasync.sql.db.exceptions.DatabaseException => true
    case _                                                        => false
  }
}
