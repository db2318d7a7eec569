package org.samewire.todo

import org.apache.pekko.Done
import org.apache.pekko.actor.CoordinatedShutdown
import org.apache.pekko.actor.CoordinatedShutdown.{
  PhaseBeforeServiceUnbind,
  PhaseServiceStop,
  PhaseServiceUnbind
}
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import org.apache.pekko.actor.typed.{ActorSystem, Behavior, SupervisorStrategy, Terminated}
import org.apache.pekko.http.scaladsl.Http
import org.apache.pekko.http.scaladsl.server.Route
import org.apache.pekko.pattern.after
import com.typesafe.config.{ConfigException, ConfigFactory}
import org.slf4j.LoggerFactory
import scala.concurrent.Future
import scala.concurrent.duration._
import scala.util.{Failure, Success}

object TodoServer {
  def main(args: Array[String]): Unit =
    try {
      // SLF4J 2 starts here, on one thread. Else Pekko's threads start it, and it warns of that.
      LoggerFactory.getILoggerFactory
      val config = ConfigFactory.load()
      ActorSystem[Nothing](TodoServer(TodoSettings(config)), "todo", config)
    } catch {
      case unusable: ConfigException =>
        System.err.println(unusable.getMessage)
        sys.exit(1)
    }

  private def apply(settings: TodoSettings): Behavior[Nothing] =
    Behaviors.setup[Nothing] { context =>
      implicit val system: ActorSystem[_] = context.system
      import context.executionContext
      import settings.{database, host, port}

      val table = new TodoTable(Database.pool(database))
      val restart = SupervisorStrategy.restart.withLimit(maxNrOfRetries = 10, 1.minute)
      val todos =
        context.spawn(Behaviors.supervise(Todos(table)).onFailure[Exception](restart), "todos")
      context.watch(todos)

      // #region server.stop
      // What clients have sent by then is answered before connections are closed.
      CoordinatedShutdown(system).addTask(PhaseBeforeServiceUnbind, "wait") { () =>
        after(500.millis)(Future.successful(Done))
      }
      // An answer that is being sent when connections are closed may be cut, and what a client has not read by the end is.
      CoordinatedShutdown(system).addTask(PhaseServiceUnbind, "answer") { () =>
        after(1.second)(Future.successful(Done))
      }
      CoordinatedShutdown(system).addTask(PhaseServiceStop, "read") { () =>
        after(500.millis)(Future.successful(Done))
      }

      Http()
        .newServerAt(host, port)
        .bindFlow(RequestHead.inTime.via(Route.toFlow(new TodoRoutes(todos).route)))
        .map(_.addToCoordinatedShutdown(hardTerminationDeadline = 5800.millis))
        // #endregion server.stop
        .onComplete {
          case Success(binding) => system.log.info("listening on {}", binding.localAddress)
          case Failure(cause)   =>
            val reason = cause.getMessage
            system.log.error(s"cannot listen on HOST $host and PORT $port: $reason")
            system.terminate()
        }

      // The actor has stopped for good, and without it nothing is answered.
      Behaviors.receiveSignal[Nothing] { case (_, Terminated(_)) =>
        system.terminate()
        Behaviors.same
      }
    }
}
