package org.samewire.randoms

import akka.Done
import akka.actor.typed.scaladsl.Behaviors
import akka.actor.typed.{ActorRef, Behavior, DispatcherSelector}
import akka.pattern.StatusReply
import scala.concurrent.Future
import scala.concurrent.duration._
import scala.util.Try
import scala.util.control.NoStackTrace

/** There are no draws, and it is no error of ours. */
final class NotDrawn(reason: String) extends RuntimeException(reason) with NoStackTrace

/** The actor that has numbers drawn: a child of it draws for one request and stops. Children wait
  * for a thread of the drawing dispatcher in the order in which they come.
  */
object Drawings {

  /** Draws for a client that may leave before its turn. */
  final case class Start(
      draw: Draw,
      clientLeft: Future[Done],
      replyTo: ActorRef[StatusReply[Result]]
  )

  // #region randoms.draw
  private val MaxDrawings = 256
  private val MaxWait = 50.seconds
  private val Threads = DispatcherSelector.fromConfig("drawing-dispatcher")

  def apply(): Behavior[Start] = Behaviors.receive { (context, start) =>
    if (context.children.size < MaxDrawings)
      context.spawnAnonymous[Nothing](drawing(start, MaxWait.fromNow), Threads)
    else
      start.replyTo ! StatusReply.error(new NotDrawn(s"$MaxDrawings drawings are waiting."))
    Behaviors.same
  }

  private def drawing(start: Start, deadline: Deadline): Behavior[Nothing] =
    Behaviors.setup[Nothing] { _ =>
      start.replyTo ! StatusReply.fromTryKeepException(Try {
        if (start.clientLeft.isCompleted) throw new NotDrawn("The client has left.")
        if (deadline.isOverdue()) throw new NotDrawn(s"A drawing waits $MaxWait at most.")
        Result.of(start.draw)
      })
      Behaviors.stopped
    }
  // #endregion randoms.draw
}
