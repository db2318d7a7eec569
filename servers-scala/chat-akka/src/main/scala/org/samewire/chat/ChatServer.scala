package org.samewire.chat

import akka.Done
import akka.actor.CoordinatedShutdown
import akka.actor.CoordinatedShutdown.{
  PhaseBeforeServiceUnbind,
  PhaseServiceStop,
  PhaseServiceUnbind
}
import akka.actor.typed.scaladsl.Behaviors
import akka.actor.typed.{ActorSystem, Behavior, SupervisorStrategy}
import akka.http.scaladsl.Http
import akka.pattern.after
import com.typesafe.config.{ConfigException, ConfigFactory}
import scala.concurrent.Future
import scala.concurrent.duration._
import scala.util.{Failure, Success}

object ChatServer {
  def main(args: Array[String]): Unit =
    try {
      val config = ConfigFactory.load()
      ActorSystem[Nothing](ChatServer(ChatSettings(config)), "chat", config)
    } catch {
      case unusable: ConfigException =>
        System.err.println(unusable.getMessage)
        sys.exit(1)
    }

  private def apply(settings: ChatSettings): Behavior[Nothing] =
    Behaviors.setup[Nothing] { context =>
      implicit val system: ActorSystem[_] = context.system
      import context.executionContext
      import settings.{host, port}

      // A message that fails is dropped, and the room keeps what it has.
      val room = context.spawn(
        Behaviors.supervise(Room()).onFailure[Exception](SupervisorStrategy.resume),
        "room"
      )
      // If it stops for good, so does this actor, and the process with it.
      context.watch(room)

      val routes = new ChatRoutes(room)

      // #region server.stop
      // Else clients that listen hold the stop up.
      CoordinatedShutdown(system).addTask(PhaseBeforeServiceUnbind, "listeners") { () =>
        routes.stop()
        Future.successful(Done)
      }
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
        .bindFlow(routes.flow)
        .map(_.addToCoordinatedShutdown(hardTerminationDeadline = 5800.millis))
        // #endregion server.stop
        .onComplete {
          case Success(binding) => system.log.info("listening on {}", binding.localAddress)
          case Failure(cause)   =>
            val reason = cause.getMessage
            system.log.error(s"cannot listen on HOST $host and PORT $port: $reason")
            system.terminate()
        }
      Behaviors.empty
    }
}
