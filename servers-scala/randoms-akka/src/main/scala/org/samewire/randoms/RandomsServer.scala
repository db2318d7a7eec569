package org.samewire.randoms

import akka.Done
import akka.actor.CoordinatedShutdown
import akka.actor.typed.scaladsl.Behaviors
import akka.actor.typed.{ActorSystem, Behavior}
import akka.http.scaladsl.Http
import akka.pattern.after
import ch.qos.logback.classic.LoggerContext
import com.typesafe.config.ConfigFactory
import java.net.{InetSocketAddress, Socket}
import org.slf4j.LoggerFactory
import scala.concurrent.duration._
import scala.concurrent.{ExecutionContext, Future}
import scala.util.{Failure, Success, Using}

/** The object graph, from start to stop. */
object RandomsServer {
  private def cores = Runtime.getRuntime.availableProcessors

  def main(args: Array[String]): Unit =
    Configuration.from(sys.env).flatMap(check) match {
      case Right(configuration) => start(configuration)
      case Left(problem)        => fail(problem)
    }

  def start(configuration: Configuration): ActorSystem[Nothing] = {
    val dispatcher = s"drawing-dispatcher.thread-pool-executor.fixed-pool-size = $cores"
    val config = ConfigFactory.parseString(dispatcher).withFallback(ConfigFactory.load())
    ActorSystem[Nothing](RandomsServer(configuration), "randoms", config)
  }

  /** Whether the port is free is known now, and not after all the rest has been started. */
  private def check(configuration: Configuration): Either[String, Configuration] = {
    import configuration._
    Using(new Socket) { socket =>
      socket.setReuseAddress(true)
      socket.bind(new InetSocketAddress(host, port))
    }.toEither.map(_ => configuration).left.map(cannotListen(configuration, _))
  }

  private def cannotListen(configuration: Configuration, cause: Throwable): String =
    s"cannot listen on ${configuration.host}:${configuration.port}: ${cause.getMessage}"

  private def apply(configuration: Configuration): Behavior[Nothing] =
    Behaviors.setup[Nothing] { context =>
      implicit val system: ActorSystem[_] = context.system
      implicit val executionContext: ExecutionContext = context.executionContext
      import configuration._

      val draws = context.spawn(Draws(cores), "draws")
      Http()
        .newServerAt(host, port)
        .bind(new RandomsRoutes(draws, compressFrom, log).route)
        .onComplete {
          case Success(binding) => stopWithSystem(binding)
          case Failure(cause)   => fail(cannotListen(configuration, cause))
        }
      Behaviors.empty
    }

  // #region server.stop
  /** On SIGTERM: no new connections, then the requests in flight, then the results that wait to be
    * written. The JVM ends with status 143 once this is done.
    */
  private def stopWithSystem(binding: Http.ServerBinding)(implicit
      system: ActorSystem[_],
      executionContext: ExecutionContext
  ): Unit = {
    import CoordinatedShutdown._
    val shutdown = CoordinatedShutdown(system)
    // What has arrived by now is still accepted: to unbind would reset it.
    shutdown.addTask(PhaseServiceUnbind, "unbind")(() => after(200.millis)(binding.unbind()))
    shutdown.addTask(PhaseServiceRequestsDone, "finish") { () =>
      // For requests that are already on their way; connections without one are then cut.
      after(1500.millis)(binding.terminate(hardDeadline = 6500.millis)).map(_ => Done)
    }
    shutdown.addTask(PhaseBeforeActorSystemTerminate, "write") { () =>
      Future {
        LoggerFactory.getILoggerFactory.asInstanceOf[LoggerContext].stop()
        Done
      }
    }
  }
  // #endregion server.stop

  private def fail(problem: String): Unit = {
    System.err.println(problem)
    // At once: nothing has begun that would have to be brought to an end.
    Runtime.getRuntime.halt(1)
  }
}
