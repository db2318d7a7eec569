package org.samewire.raytracer

import akka.Done
import akka.actor.typed.scaladsl.Behaviors
import akka.actor.typed.{ActorRef, Behavior, DispatcherSelector}
import akka.util.ByteString
import scala.collection.immutable.Queue
import scala.concurrent.Future

/** Gives pictures to renderers, of which there is one for each core, and keeps the others waiting,
  * in order, as long as there is room for them.
  */
object Gallery {
  sealed trait Command

  /** A picture that is asked for, until its client has `gone`. */
  final case class Picture(
      width: Int,
      height: Int,
      depth: Int,
      gone: Future[Done],
      replyTo: ActorRef[Answer]
  ) extends Command {
    def abandoned: Boolean = gone.isCompleted
  }
  final case class Finished(renderer: ActorRef[Renderer.Work]) extends Command

  sealed trait Answer
  final case class Png(bytes: ByteString) extends Answer
  final case class Failed(cause: Throwable) extends Answer
  case object Busy extends Answer

  /** Nobody sees it. */
  case object Abandoned extends Answer

  private val MaxWaiting = 256

  def apply(renderers: Int): Behavior[Command] =
    Behaviors.setup { context =>
      val dispatcher = DispatcherSelector.fromConfig("rendering-dispatcher")
      val idle = (1 to renderers).map(n => context.spawn(Renderer(), s"renderer-$n", dispatcher))
      open(idle.toList, Queue.empty)
    }

  private def open(
      idle: List[ActorRef[Renderer.Work]],
      waiting: Queue[Picture]
  ): Behavior[Command] =
    Behaviors.receive {
      case (context, picture: Picture) =>
        lazy val wanted = waiting.filterNot(_.abandoned)
        idle match {
          case renderer :: others =>
            renderer ! Renderer.Work(picture, context.self)
            open(others, waiting)
          case Nil if waiting.size < MaxWaiting => open(Nil, waiting.enqueue(picture))
          case Nil if wanted.size < MaxWaiting  => open(Nil, wanted.enqueue(picture))
          case Nil                              =>
            picture.replyTo ! Busy
            Behaviors.same
        }
      case (context, Finished(renderer)) =>
        waiting.dropWhile(_.abandoned).dequeueOption match {
          case Some((picture, others)) =>
            renderer ! Renderer.Work(picture, context.self)
            open(idle, others)
          case None => open(renderer :: idle, Queue.empty)
        }
    }
}
