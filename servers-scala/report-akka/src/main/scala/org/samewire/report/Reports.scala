package org.samewire.report

import akka.actor.typed.scaladsl.Behaviors
import akka.actor.typed.{ActorRef, Behavior}
import scala.concurrent.duration.FiniteDuration

/** Starts an actor for each report. */
object Reports {
  final case class Make(replyTo: ActorRef[Report.Answer])

  def apply(todo: Upstream, raytracer: Upstream, timeLimit: FiniteDuration): Behavior[Make] =
    Behaviors.receive { case (context, Make(replyTo)) =>
      context.spawnAnonymous(Report(todo, raytracer, timeLimit, replyTo))
      Behaviors.same
    }
}
