package org.samewire.randoms

import akka.actor.typed.scaladsl.Behaviors
import akka.actor.typed.{ActorRef, Behavior, DispatcherSelector}
import scala.collection.immutable.Queue

/** Gives draws to those who draw, of whom there is one for each core, and keeps the others waiting,
  * in order, as long as there is room for them.
  */
object Draws {
  sealed trait Command

  /** The bits of `seed` are those of the unsigned number. */
  final case class Draw(count: Int, seed: Int, replyTo: ActorRef[Answer]) extends Command
  final case class Finished(drawer: ActorRef[Drawer.Work]) extends Command

  sealed trait Answer
  final case class Drawn(result: String) extends Answer
  case object Busy extends Answer

  private val MaxWaiting = 128

  def apply(drawers: Int): Behavior[Command] =
    Behaviors.setup { context =>
      val dispatcher = DispatcherSelector.fromConfig("drawing-dispatcher")
      val idle =
        (1 to drawers).map(n => context.spawn(Drawer(context.self), s"drawer-$n", dispatcher))
      open(idle.toList, Queue.empty)
    }

  private def open(idle: List[ActorRef[Drawer.Work]], waiting: Queue[Draw]): Behavior[Command] =
    Behaviors.receiveMessage {
      case draw: Draw =>
        idle match {
          case drawer :: others =>
            drawer ! Drawer.Work(draw)
            open(others, waiting)
          case Nil if waiting.size < MaxWaiting => open(Nil, waiting.enqueue(draw))
          case Nil                              =>
            draw.replyTo ! Busy
            Behaviors.same
        }
      case Finished(drawer) =>
        waiting.dequeueOption match {
          case Some((draw, others)) =>
            drawer ! Drawer.Work(draw)
            open(idle, others)
          case None => open(drawer :: idle, Queue.empty)
        }
    }
}
