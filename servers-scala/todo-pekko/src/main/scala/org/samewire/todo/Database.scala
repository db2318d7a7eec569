package org.samewire.todo

import com.github.jasync.sql.db.pool.{ConnectionFactory, ConnectionPool, PoolExhaustedException}
import com.github.jasync.sql.db.postgresql.PostgreSQLConnection
import com.github.jasync.sql.db.postgresql.exceptions.GenericDatabaseException
import com.github.jasync.sql.db.postgresql.pool.PostgreSQLConnectionFactory
import com.github.jasync.sql.db.{Connection, ConnectionPoolConfiguration}
import io.netty.channel.nio.NioEventLoopGroup
import io.netty.util.concurrent.DefaultThreadFactory
import java.net.URI
import java.util.concurrent.{CompletableFuture, CompletionException, Executor, TimeoutException}
import kotlinx.coroutines.ExecutorsKt
import scala.concurrent.duration._

/** The database cannot be asked now. */
final class DatabaseAway(cause: Throwable) extends RuntimeException(cause)

/** The database is there, but other statements hold the row or all connections for too long. */
final class DatabaseBusy(cause: Throwable) extends RuntimeException(cause)

object Database {

  // #region database.pool
  private val MaxConnections = 10
  private val MaxWaiting = 1024
  private val MaxIdle = 1.minute

  /** For a connection to be made, and for an answer. */
  private val MaxWait = 4.seconds

  /** Idle connections are tried, and queries that wait for a connection are given up. */
  private val CheckInterval = 500.millis

  def pool(url: URI): Connection = {
    // Not by the driver's parser: it cuts a password at its first colon.
    val credentials = url.getUserInfo.split(":", 2)
    // By default there is one connection, and a query goes through three pools of threads.
    val thread = new NioEventLoopGroup(1, new DefaultThreadFactory("database", true))
    val configuration = new ConnectionPoolConfiguration(
      url.getHost,
      if (url.getPort == -1) 5432 else url.getPort,
      url.getPath.drop(1),
      credentials.head,
      credentials.lift(1).orNull,
      MaxConnections,
      MaxIdle.toMillis,
      MaxWaiting,
      CheckInterval.toMillis,
      MaxWait.toMillis,
      MaxWait.toMillis,
      MaxWait.toMillis,
      thread,
      thread,
      ExecutorsKt.from(thread: Executor)
    )
    new ConnectionPool(new LimitedConnections(configuration), configuration)
  }

  /** PostgreSQL itself ends a statement that waits for a lock. If only the driver gave it up, it
    * would go on to wait, and its change would come after the answer that refused it.
    */
  private final class LimitedConnections(configuration: ConnectionPoolConfiguration)
      extends ConnectionFactory[PostgreSQLConnection] {
    private val factory = new PostgreSQLConnectionFactory(configuration.getConnectionConfiguration)

    override def create(): CompletableFuture[PostgreSQLConnection] =
      factory.create().thenCompose { connection =>
        connection.sendQuery("set statement_timeout = '3500ms'").thenApply(_ => connection)
      }
  }
  // #endregion database.pool

  /** SQLSTATE classes in which PostgreSQL speaks of itself and not of a statement: no connection,
    * no such user or database yet, no resources, starting up or shutting down.
    */
  private val AwayClasses = Set("08", "28", "3D", "53", "57")

  def explain(failure: Throwable): Throwable = failure match {
    case wrapper: CompletionException    => explain(wrapper.getCause)
    case error: GenericDatabaseException =>
      String.valueOf(error.getErrorMessage.getFields.get('C')) match {
        case "57014"                                      => new DatabaseBusy(error)
        case state if AwayClasses.contains(state.take(2)) => new DatabaseAway(error)
        case _                                            => error
      }
    case late @ (_: TimeoutException | _: PoolExhaustedException) => new DatabaseBusy(late)
    // All else is a connection that could not be had or was lost.
    case lost => new DatabaseAway(lost)
  }
}
