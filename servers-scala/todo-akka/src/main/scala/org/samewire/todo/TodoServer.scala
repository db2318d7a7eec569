package org.samewire.todo

import akka.Done
import akka.actor.CoordinatedShutdown
import akka.actor.typed.scaladsl.Behaviors
import akka.actor.typed.{ActorSystem, Behavior}
import akka.http.scaladsl.Http
import akka.pattern.after
import com.github.jasync.sql.db.Connection
import java.util.logging.LogManager
import scala.concurrent.ExecutionContext
import scala.concurrent.duration._
import scala.jdk.FutureConverters._
import scala.util.{Failure, Success, Using}

/** The object graph, from start to stop. */
object TodoServer {
  def main(args: Array[String]): Unit = {
    Using.resource(getClass.getResourceAsStream("/logging.properties")) {
      LogManager.getLogManager.readConfiguration(_)
    }
    Configuration.from(sys.env) match {
      case Right(configuration) => ActorSystem[Nothing](TodoServer(configuration), "todo")
      case Left(problem)        => fail(problem)
    }
  }

  private def apply(configuration: Configuration): Behavior[Nothing] =
    Behaviors.setup[Nothing] { context =>
      implicit val system: ActorSystem[_] = context.system
      implicit val executionContext: ExecutionContext = context.executionContext
      import configuration._

      val connections = TodoTable.pool(database, context.executionContext)
      val todos = context.spawn(Todos(new TodoTable(connections)), "todos")
      Http().newServerAt(host, port).bind(new TodoRoutes(todos).route).onComplete {
        case Success(binding) => stopWithSystem(binding, connections)
        case Failure(cause)   => fail(s"cannot listen on $host:$port: ${cause.getMessage}")
      }
      Behaviors.empty
    }

  // #region server.stop
  /** On SIGTERM: no new connections, then the requests in flight, then the database's connections.
    * The JVM ends with status 143 once this is done.
    */
  private def stopWithSystem(binding: Http.ServerBinding, connections: Connection)(implicit
      system: ActorSystem[_],
      executionContext: ExecutionContext
  ): Unit = {
    import CoordinatedShutdown._
    val shutdown = CoordinatedShutdown(system)
    // What has arrived by now is still accepted: to unbind would reset it.
    shutdown.addTask(PhaseServiceUnbind, "unbind")(() => after(200.millis)(binding.unbind()))
    shutdown.addTask(PhaseServiceRequestsDone, "finish") { () =>
      // For requests that are already on their way; connections without one are then cut.
      after(500.millis)(binding.terminate(hardDeadline = 7500.millis)).map(_ => Done)
    }
    shutdown.addTask(PhaseBeforeActorSystemTerminate, "disconnect") { () =>
      connections.disconnect().asScala.map(_ => Done)
    }
  }
  // #endregion server.stop

  private def fail(problem: String): Unit = {
    System.err.println(problem)
    // At once: nothing has begun that would have to be brought to an end.
    Runtime.getRuntime.halt(1)
  }
}
