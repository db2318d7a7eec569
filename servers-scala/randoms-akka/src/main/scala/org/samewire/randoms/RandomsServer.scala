package org.samewire.randoms

import akka.Done
import akka.actor.CoordinatedShutdown
import akka.actor.CoordinatedShutdown.{
  PhaseBeforeActorSystemTerminate,
  PhaseBeforeServiceUnbind,
  PhaseServiceStop,
  PhaseServiceUnbind
}
import akka.actor.typed.scaladsl.Behaviors
import akka.actor.typed.{ActorSystem, Behavior, DispatcherSelector, SupervisorStrategy}
import akka.http.scaladsl.Http
import akka.http.scaladsl.server.Route
import akka.pattern.after
import ch.qos.logback.classic.LoggerContext
import com.typesafe.config.{ConfigException, ConfigFactory}
import org.slf4j.LoggerFactory
import scala.concurrent.Future
import scala.concurrent.duration._
import scala.util.{Failure, Success}

object RandomsServer {
  def main(args: Array[String]): Unit =
    try {
      val config = ConfigFactory.load()
      ActorSystem[Nothing](RandomsServer(RandomsSettings(config)), "randoms", config)
    } catch {
      case unusable: ConfigException =>
        System.err.println(unusable.getMessage)
        sys.exit(1)
    }

  private def apply(settings: RandomsSettings): Behavior[Nothing] =
    Behaviors.setup[Nothing] { context =>
      implicit val system: ActorSystem[_] = context.system
      import context.executionContext
      import settings.{host, port}

      val restart = SupervisorStrategy.restart.withLimit(maxNrOfRetries = 10, 1.minute)
      val drawings =
        context.spawn(Behaviors.supervise(Drawings()).onFailure[Exception](restart), "drawings")
      // If it stops for good, so does this actor, and the process with it.
      context.watch(drawings)

      // #region server.stop
      // What clients have sent by then is answered before connections are closed.
      val shutdown = CoordinatedShutdown(system)
      shutdown.addTask(PhaseBeforeServiceUnbind, "wait") { () =>
        after(500.millis)(Future.successful(Done))
      }
      // An answer that is being sent when connections are closed may be cut, and what a client has not read by the end is.
      shutdown.addTask(PhaseServiceUnbind, "answer") { () =>
        after(1.second)(Future.successful(Done))
      }
      shutdown.addTask(PhaseServiceStop, "read") { () =>
        after(500.millis)(Future.successful(Done))
      }
      // Then what waits to be logged is written, by a thread that no draws block.
      shutdown.addTask(PhaseBeforeActorSystemTerminate, "write") { () =>
        Future {
          LoggerFactory.getILoggerFactory.asInstanceOf[LoggerContext].stop()
          Done
        }(system.dispatchers.lookup(DispatcherSelector.blocking()))
      }

      Http()
        .newServerAt(host, port)
        .bindFlow(Connection.flow(Route.toFunction(new RandomsRoutes(drawings, settings).route)))
        .map(_.addToCoordinatedShutdown(hardTerminationDeadline = 3300.millis))
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
