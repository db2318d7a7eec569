package org.samewire.report

import akka.actor.typed.scaladsl.Behaviors
import akka.actor.typed.{ActorRef, Behavior}
import akka.pattern.StatusReply
import akka.stream.Materializer
import akka.stream.scaladsl.Sink
import scala.util.Try
import scala.util.control.NoStackTrace

/** What the page is made of. */
final case class Report(todos: Seq[Todo], picture: String)

final class TooManyReports
    extends RuntimeException("Too many reports are being made.")
    with NoStackTrace

/** The actor that has reports made: a child of it makes one and stops. */
object Reports {
  final case class Make(replyTo: ActorRef[StatusReply[Report]])

  private val MaxReports = 512

  def apply(upstreams: Upstreams): Behavior[Make] = Behaviors.receive { (context, make) =>
    if (context.children.size < MaxReports) context.spawnAnonymous(child(upstreams, make.replyTo))
    else make.replyTo ! StatusReply.error(new TooManyReports)
    Behaviors.same
  }

  // #region report.fetch-both
  /** Both exchanges begin at once. The first failure, or the time, ends the report. */
  private def child(
      upstreams: Upstreams,
      replyTo: ActorRef[StatusReply[Report]]
  ): Behavior[Try[Report]] = Behaviors.setup { context =>
    // Its streams end with this actor: an exchange that has not ended is cut.
    implicit val materializer: Materializer = Materializer(context)
    val report = upstreams.todos
      .zipWith(upstreams.picture)(Report.apply)
      .completionTimeout(upstreams.timeout)
      .runWith(Sink.head)
    context.pipeToSelf(report)(identity)
    Behaviors.receiveMessage { made =>
      replyTo ! StatusReply.fromTryKeepException(made)
      Behaviors.stopped
    }
  }
  // #endregion report.fetch-both
}
