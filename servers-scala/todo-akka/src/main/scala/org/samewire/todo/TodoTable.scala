package org.samewire.todo

import com.github.jasync.sql.db.postgresql.PostgreSQLConnectionBuilder
import com.github.jasync.sql.db.postgresql.exceptions.GenericDatabaseException
import com.github.jasync.sql.db.{Connection, ConnectionPoolConfiguration, QueryResult, RowData}
import io.netty.channel.nio.NioEventLoopGroup
import io.netty.channel.{Channel, ChannelFuture}
import io.netty.util.concurrent.DefaultThreadFactory
import java.io.IOException
import java.nio.channels.ClosedChannelException
import java.util.concurrent.{
  CompletionException,
  ConcurrentHashMap,
  ExecutorService,
  TimeoutException
}
import kotlinx.coroutines.ExecutorsKt
import scala.concurrent.duration._
import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.jdk.CollectionConverters._
import scala.jdk.FutureConverters._

final case class Todo(id: Long, title: String, completed: Boolean)

/** Some TODOs, and the id after which there are more. */
final case class Page(items: Seq[Todo], next: Option[Long])

/** The table of TODOs. */
final class TodoTable(connections: Connection) {
  // What is done with an answer is little: it stays on the driver's thread.
  private implicit val executionContext: ExecutionContext = ExecutionContext.parasitic

  /** A pool that is closed forgets who waits for a connection that it is just making. */
  private val unanswered = ConcurrentHashMap.newKeySet[Promise[QueryResult]]()

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

  /** What is asked or waits for a connection fails now. */
  def close(): Unit = {
    connections.disconnect()
    unanswered.forEach { answer => answer.tryFailure(new ClosedChannelException); () }
  }

  private def query(sql: String, values: Any*): Future[Seq[Todo]] =
    execute(sql, values: _*).map(_.getRows.asScala.map(todo).toSeq)

  private def todo(row: RowData): Todo =
    Todo(row.getLong(0), row.getString(1), row.getBoolean(2))

  private def execute(sql: String, values: Any*): Future[QueryResult] = {
    val answer = Promise[QueryResult]()
    unanswered.add(answer)
    answer.completeWith(connections.sendPreparedStatement(sql, values.asJava).asScala)
    answer.future.andThen { case _ => unanswered.remove(answer) }
  }
}

object TodoTable {

  /** A database that is away refuses or closes: these are for one that is slow. */
  private val ConnectTimeout = 5.seconds
  private val StatementTimeout = 5.seconds
  private val TimeBetweenTests = 1.second
  private val IdleTime = 1.minute

  /** Classes of SQLSTATE in which PostgreSQL itself says that it cannot serve at present:
    * connection lost or refused, no such database or user yet, out of resources, shutting down or
    * cancelled.
    */
  private val Away = Set("08", "28", "3D", "53", "57", "58")

  // #region database.pool
  /** By default there would be one connection, and a query would go through three pools of threads.
    * Statements are prepared once per connection.
    */
  def pool(database: Configuration.Database): Connection = {
    val connections = 10
    val waitingQueries = 1024
    PostgreSQLConnectionBuilder.createConnectionPool(
      new ConnectionPoolConfiguration(
        database.host,
        database.port,
        database.name,
        database.user,
        database.password.orNull,
        connections,
        IdleTime.toMillis,
        waitingQueries,
        TimeBetweenTests.toMillis,
        ConnectTimeout.toMillis,
        ConnectTimeout.toMillis,
        StatementTimeout.toMillis,
        EventLoop,
        EventLoop,
        ExecutorsKt.from(EventLoop: ExecutorService)
      )
    )
  }
  // #endregion database.pool

  /** All of the driver runs on this thread. It does not tell a query under way that its connection
    * has been closed.
    */
  private object EventLoop extends NioEventLoopGroup(1, new DefaultThreadFactory("db", true)) {
    override def register(channel: Channel): ChannelFuture = {
      channel.closeFuture.addListener { (_: ChannelFuture) =>
        channel.pipeline.fireExceptionCaught(new ClosedChannelException)
      }
      super.register(channel)
    }
  }

  def isAway(failure: Throwable): Boolean = failure match {
    case wrapped: CompletionException if wrapped.getCause != null => isAway(wrapped.getCause)
    case refused: GenericDatabaseException                        =>
      Away(String.valueOf(refused.getErrorMessage.getFields.get('C')).take(2))
    case _: IOException | _: TimeoutException => true
    // "not connected", "wait queue is full", "pool terminated"
    case _: IllegalStateException                                 => true
    case _: com.github.jasync.sql.db.exceptions.DatabaseException => true
    case _                                                        => false
  }
}
