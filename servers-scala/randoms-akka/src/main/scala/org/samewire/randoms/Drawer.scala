package org.samewire.randoms

import akka.actor.typed.scaladsl.Behaviors
import akka.actor.typed.{ActorRef, Behavior}

/** Draws for one request after the other. */
object Drawer {
  final case class Work(draw: Draws.Draw)

  def apply(whose: ActorRef[Draws.Finished]): Behavior[Work] =
    Behaviors.receive { case (context, Work(draw)) =>
      draw.replyTo ! Draws.Drawn(Result.json(draw.count, draw.seed))
      whose ! Draws.Finished(context.self)
      Behaviors.same
    }
}
