package org.samewire.chat

import akka.actor.typed.scaladsl.{Behaviors, TimerScheduler}
import akka.actor.typed.{ActorRef, Behavior}
import akka.util.ByteString
import java.util.UUID
import scala.concurrent.duration._

final case class Message(id: Long, user: String, text: String) {

  /** Written once: answers share these bytes, and many may wait for clients that do not read. */
  val json: ByteString = ByteString(JsonFormats.messageFormat.write(this).compactPrint)
}

// Ids begin anew with each room: every answer says which one it comes from.
final case class Posted(room: String, id: Long, user: String, text: String)
final case class News(room: String, messages: Seq[Message], last: Long)
final case class Present(room: String, users: Seq[String])

/** The room is an actor: one thing happens to it after the other. */
object Room {
  sealed trait Command
  final case class Post(message: NewMessage, replyTo: ActorRef[Posted]) extends Command
  final case class Poll(after: Long, user: Option[String], replyTo: ActorRef[News]) extends Command
  final case class WhoIsHere(replyTo: ActorRef[Present]) extends Command
  private final case class Gone(user: String) extends Command

  private val MaxMessages = 1000
  private val TimePresent = 2.seconds

  def apply(): Behavior[Command] =
    Behaviors.withTimers(open(UUID.randomUUID.toString, Vector.empty, last = 0, Set.empty, _))

  /** With the newest `messages`, the id of the `last` one, and who is `here`. */
  private def open(
      room: String,
      messages: Vector[Message],
      last: Long,
      here: Set[String],
      timers: TimerScheduler[Command]
  ): Behavior[Command] =
    Behaviors.receiveMessage {
      // #region chat.post-message
      case Post(NewMessage(user, text), replyTo) =>
        val message = Message(last + 1, user, text)
        replyTo ! Posted(room, message.id, user, text)
        open(room, (messages :+ message).takeRight(MaxMessages), message.id, here, timers)
      // #endregion chat.post-message

      // #region chat.deliver
      case Poll(after, user, replyTo) =>
        // No id is left out: the difference is how many there are.
        val news = messages.takeRight((last - after).max(0).min(MaxMessages).toInt)
        replyTo ! News(room, news, last)
        // In the place of the timer that began when the user was last seen.
        user.foreach(name => timers.startSingleTimer(name, Gone(name), TimePresent))
        open(room, messages, last, here ++ user, timers)
      // #endregion chat.deliver

      // #region chat.presence
      case Gone(user)         => open(room, messages, last, here - user, timers)
      case WhoIsHere(replyTo) =>
        replyTo ! Present(room, here.toSeq.sorted)
        Behaviors.same
      // #endregion chat.presence
    }
}
