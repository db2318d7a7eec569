package org.samewire.report

import akka.actor.typed.scaladsl.Behaviors
import akka.actor.typed.{ActorRef, Behavior}
import akka.stream.Materializer
import akka.util.ByteString
import scala.concurrent.duration.FiniteDuration
import scala.util.{Failure, Success, Try}

/** One report: asks both upstreams at the same time and lives until it has both answers, or the
  * first failure.
  */
object Report {
  type Answer = Either[Problem, ByteString]

  sealed trait Event
  private final case class TodosCame(todos: Try[Seq[Todo]]) extends Event
  private final case class ImageCame(image: Try[ByteString]) extends Event
  private case object TimeIsUp extends Event

  private val MaxTodos = 1024L * 1024
  private val MaxImage = 16L * 1024 * 1024

  // #region report.fetch-both
  def apply(
      todo: Upstream,
      raytracer: Upstream,
      timeLimit: FiniteDuration,
      replyTo: ActorRef[Answer]
  ): Behavior[Event] =
    Behaviors.setup { context =>
      // Bound to this actor: when it stops, exchanges that are unfinished are cut.
      implicit val materializer: Materializer = Materializer(context)
      val todos = todo
        .get("/todos?limit=100", "application/json", MaxTodos)
        .map(TodoList.read)(context.executionContext)
      val image = raytracer.get("/render?width=320&height=240&depth=3", "image/png", MaxImage)
      context.pipeToSelf(todos)(TodosCame)
      context.pipeToSelf(image)(ImageCame)
      Behaviors.withTimers { timers =>
        timers.startSingleTimer(TimeIsUp, timeLimit)
        collecting(None, None, replyTo)
      }
    }

  private def collecting(
      todos: Option[Seq[Todo]],
      image: Option[ByteString],
      replyTo: ActorRef[Answer]
  ): Behavior[Event] = {
    def answer(answer: Answer): Behavior[Event] = {
      replyTo ! answer
      Behaviors.stopped
    }
    (todos, image) match {
      case (Some(todos), Some(image)) => answer(Right(Page(todos, image)))
      case _                          =>
        Behaviors.receiveMessage {
          case TodosCame(Success(todos)) => collecting(Some(todos), image, replyTo)
          case ImageCame(Success(image)) => collecting(todos, Some(image), replyTo)
          case TodosCame(Failure(_)) | ImageCame(Failure(_)) => answer(Left(Problem.BadUpstream))
          case TimeIsUp => answer(Left(Problem.UpstreamTimedOut))
        }
    }
  }
  // #endregion report.fetch-both
}
