package org.samewire.chat

import akka.actor.typed.scaladsl.{ActorContext, Behaviors, TimerScheduler}
import akka.actor.typed.{ActorRef, Behavior, PostStop}
import akka.http.scaladsl.model.ws.TextMessage
import akka.stream.{BoundedSourceQueue, QueueOfferResult}
import scala.concurrent.duration._
import scala.util.Try
import scala.util.control.NoStackTrace

/** The actor of one client. It stops when the connection ends, and the connection ends when it
  * stops.
  */
object Member {
  sealed trait Command

  // From the connection. It brings what the client sends one by one: `Next` asks for the next.
  final case class Writable(outgoing: BoundedSourceQueue[TextMessage]) extends Command
  final case class Readable(incoming: ActorRef[Next.type]) extends Command
  final case class Received(frame: String) extends Command
  case object Closed extends Command
  object Next

  // From the room.
  final case class Tell(frame: TextMessage) extends Command

  /** To what this member has asked of the room. */
  final case class Answer(frame: TextMessage) extends Command
  final case class TurnAway(frame: TextMessage) extends Command

  // From timers.
  private case object Ping extends Command
  private case object Silent extends Command

  /** The end of a connection that drops what still waits for the client. */
  object Dropped extends RuntimeException with NoStackTrace

  private val PingEvery = 5.seconds
  private val MaxSilence = 10.seconds
  private val MaxFrames = 50

  def apply(user: String, room: ActorRef[Room.Command]): Behavior[Command] =
    Behaviors.setup { context =>
      Behaviors.withTimers { timers =>
        timers.startSingleTimer(Silent, MaxSilence)
        // The two directions of the connection open in any order.
        Behaviors.withStash(capacity = 3) { early =>
          Behaviors.receiveMessage {
            case Writable(outgoing) =>
              early.unstashAll(new Member(user, room, outgoing, context, timers).opening)
            case Silent => Behaviors.stopped
            case other  =>
              early.stash(other)
              Behaviors.same
          }
        }
      }
    }
}

final class Member private (
    user: String,
    room: ActorRef[Room.Command],
    outgoing: BoundedSourceQueue[TextMessage],
    context: ActorContext[Member.Command],
    timers: TimerScheduler[Member.Command]
) {
  import Member._

  private def opening: Behavior[Command] =
    Behaviors
      .receiveMessagePartial[Command] {
        case Readable(incoming) =>
          room ! Room.Join(user, context.self)
          timers.startTimerWithFixedDelay(Ping, PingEvery)
          open(incoming, Vector.empty)
        case Closed | Silent => Behaviors.stopped
      }
      .receiveSignal { case (_, PostStop) => close() }

  /** With the times at which the last frames came. */
  private def open(incoming: ActorRef[Next.type], times: Vector[Long]): Behavior[Command] =
    Behaviors
      .receiveMessagePartial[Command] {
        case Received(frame) =>
          timers.startSingleTimer(Silent, MaxSilence)
          val now = System.nanoTime()
          if (times.size == MaxFrames && now - times.head < 1.second.toNanos) Behaviors.stopped
          else {
            Frame.read(frame) match {
              case Frame.Text(text) => room ! Room.Say(NewMessage(user, text), context.self)
              case Frame.Wrong      => context.self ! Answer(Frame.BadText)
              case Frame.Pong       => incoming ! Next
            }
            open(incoming, (times :+ now).takeRight(MaxFrames))
          }
        case Answer(frame) =>
          incoming ! Next
          send(frame)
        case Tell(frame)     => send(frame)
        case Ping            => send(Frame.Ping)
        case TurnAway(frame) =>
          send(frame)
          outgoing.complete()
          Behaviors.stopped
        case Closed | Silent => Behaviors.stopped
      }
      .receiveSignal { case (_, PostStop) => close() }

  /** A client that does not read is not waited for: all others would wait, too. */
  private def send(frame: TextMessage): Behavior[Command] =
    outgoing.offer(frame) match {
      case QueueOfferResult.Enqueued => Behaviors.same
      case _                         => Behaviors.stopped
    }

  private def close(): Behavior[Command] = {
    // It throws if the connection has already ended.
    Try(outgoing.fail(Dropped))
    Behaviors.same
  }
}
