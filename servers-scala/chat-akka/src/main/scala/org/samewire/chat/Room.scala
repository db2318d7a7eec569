package org.samewire.chat

import akka.actor.typed.scaladsl.{Behaviors, TimerScheduler}
import akka.actor.typed.{ActorRef, Behavior}
import java.util.UUID
import scala.concurrent.duration._

/** The room: an actor, to which one thing happens after the other. */
object Room {
  final case class Message(id: Long, user: String, text: String)

  sealed trait Command
  final case class Post(user: String, text: String, replyTo: ActorRef[Posted]) extends Command
  final case class ListAfter(id: Long, replyTo: ActorRef[News]) extends Command
  final case class Seen(user: String) extends Command
  final case class WhoIsHere(replyTo: ActorRef[Present]) extends Command
  private final case class Gone(user: String) extends Command

  // Ids begin anew with each room: every answer says which one it comes from.
  final case class Posted(room: UUID, message: Message)
  final case class News(room: UUID, messages: Seq[Message], last: Long)
  final case class Present(room: UUID, users: Set[String])

  private val MaxMessages = 1000
  private val TimePresent = 2.seconds

  def apply(): Behavior[Command] =
    Behaviors.withTimers(open(UUID.randomUUID(), Vector.empty, last = 0, Set.empty, _))

  /** With the newest `messages`, the id of the `last` one, and who is `here`. */
  private def open(
      room: UUID,
      messages: Vector[Message],
      last: Long,
      here: Set[String],
      timers: TimerScheduler[Command]
  ): Behavior[Command] =
    Behaviors.receiveMessage {
      // #region chat.post-message
      case Post(user, text, replyTo) =>
        val message = Message(last + 1, user, text)
        replyTo ! Posted(room, message)
        open(room, (messages :+ message).takeRight(MaxMessages), message.id, here, timers)
      // #endregion chat.post-message

      // #region chat.deliver
      case ListAfter(id, replyTo) =>
        // No id is left out: the difference is how many there are.
        val news = messages.takeRight((last - id).max(0).min(MaxMessages).toInt)
        replyTo ! News(room, news, last)
        Behaviors.same
      // #endregion chat.deliver

      // #region chat.presence
      case Seen(user) =>
        // In the place of the timer that was started when the user was last seen.
        timers.startSingleTimer(user, Gone(user), TimePresent)
        open(room, messages, last, here + user, timers)
      case Gone(user) =>
        open(room, messages, last, here - user, timers)
      case WhoIsHere(replyTo) =>
        replyTo ! Present(room, here)
        Behaviors.same
      // #endregion chat.presence
    }
}
