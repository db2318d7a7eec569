package org.samewire.raytracer

import akka.Done
import akka.actor.typed.scaladsl.Behaviors
import akka.actor.typed.{ActorRef, Behavior, DispatcherSelector}
import akka.pattern.StatusReply
import akka.util.ByteString
import scala.concurrent.Future
import scala.concurrent.duration._
import scala.util.Try
import scala.util.control.NoStackTrace

/** There is no picture, and it is no error of ours. */
final class NotPainted(reason: String) extends RuntimeException(reason) with NoStackTrace

/** The actor that has pictures painted: a child of it paints one and stops. Children wait for a
  * thread of the painting dispatcher in the order in which they come.
  */
object Gallery {

  /** A picture for a client that may leave before it is painted. */
  final case class Paint(
      picture: Picture,
      clientLeft: Future[Done],
      replyTo: ActorRef[StatusReply[ByteString]]
  )

  // #region raytracer.render
  private val MaxPictures = 256
  private val MaxTime = 50.seconds
  private val Threads = DispatcherSelector.fromConfig("painting-dispatcher")

  def apply(): Behavior[Paint] = Behaviors.receive { (context, paint) =>
    if (context.children.size < MaxPictures)
      context.spawnAnonymous[Nothing](painter(paint, MaxTime.fromNow), Threads)
    else
      paint.replyTo ! StatusReply.error(new NotPainted(s"$MaxPictures pictures are waiting."))
    Behaviors.same
  }

  private def painter(paint: Paint, deadline: Deadline): Behavior[Nothing] =
    Behaviors.setup[Nothing] { _ =>
      paint.replyTo ! StatusReply.fromTryKeepException(Try(render(paint, deadline)))
      Behaviors.stopped
    }

  private def render(paint: Paint, deadline: Deadline): ByteString = {
    import paint.picture._
    val pixels = new Array[Byte](3 * width * height)
    for (y <- 0 until height) {
      if (paint.clientLeft.isCompleted) throw new NotPainted("The client has left.")
      if (deadline.isOverdue()) throw new NotPainted(s"A picture takes $MaxTime at most.")
      Raytracer.renderRow(width, height, depth, y, pixels, 3 * width * y)
    }
    Picture.png(width, height, pixels)
  }
  // #endregion raytracer.render
}
