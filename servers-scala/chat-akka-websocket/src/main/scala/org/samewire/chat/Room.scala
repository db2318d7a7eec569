package org.samewire.chat

import akka.actor.typed.scaladsl.{ActorContext, Behaviors}
import akka.actor.typed.{ActorRef, Behavior}
import akka.http.scaladsl.model.ws.TextMessage
import akka.util.ByteString
import java.util.UUID

final case class Message(id: Long, user: String, text: String) {

  /** Written once: answers share these bytes, and many may wait for clients that do not read. */
  val json: ByteString = ByteString(JsonFormats.messageFormat.write(this).compactPrint)
}

// Ids begin anew with each room: every answer says which one it comes from.
final case class Posted(room: String, id: Long, user: String, text: String)
final case class News(room: String, messages: Seq[Message], last: Long)
final case class Present(room: String, users: Seq[String])

/** The room is an actor: one thing happens to it after the other. Its members are its children. */
object Room {
  sealed trait Command
  final case class Post(message: NewMessage, replyTo: ActorRef[Posted]) extends Command
  final case class Read(after: Long, replyTo: ActorRef[News]) extends Command
  final case class WhoIsHere(replyTo: ActorRef[Present]) extends Command

  /** Makes an actor for a client, which joins when its connection is open. */
  final case class Admit(user: User, replyTo: ActorRef[ActorRef[Member.Command]]) extends Command
  final case class Join(user: String, member: ActorRef[Member.Command]) extends Command
  final case class Say(message: NewMessage, member: ActorRef[Member.Command]) extends Command
  private final case class Gone(user: String) extends Command

  /** Ends all connections. */
  case object Close extends Command

  private val MaxMessages = 1000

  def apply(): Behavior[Command] =
    Behaviors.setup(new Room(UUID.randomUUID.toString, _).open(Vector.empty, last = 0, Map.empty))
}

final class Room private (room: String, context: ActorContext[Room.Command]) {
  import Room._

  /** With the newest `messages`, the id of the `last` one, and the `members` by name. */
  private def open(
      messages: Vector[Message],
      last: Long,
      members: Map[String, ActorRef[Member.Command]]
  ): Behavior[Command] = {
    // #region chat.deliver
    def tell(members: Iterable[ActorRef[Member.Command]], frame: TextMessage): Unit =
      members.foreach(_ ! Member.Tell(frame))
    // #endregion chat.deliver

    // #region chat.post-message
    /** Keeps a message, and tells all members but its author. */
    def keep(message: Message, author: Option[ActorRef[Member.Command]]): Behavior[Command] = {
      tell(members.values.filterNot(author.contains), Frame.message(message))
      open((messages :+ message).takeRight(MaxMessages), message.id, members)
    }
    // #endregion chat.post-message

    Behaviors.receiveMessage {
      // #region chat.post-message
      case Post(NewMessage(user, text), replyTo) =>
        val message = Message(last + 1, user, text)
        replyTo ! Posted(room, message.id, user, text)
        keep(message, author = None)
      // #endregion chat.post-message

      // #region chat.deliver
      case Say(NewMessage(user, text), member) =>
        val message = Message(last + 1, user, text)
        member ! Member.Answer(Frame.taken(message.id))
        keep(message, author = Some(member))
      // #endregion chat.deliver

      case Read(after, replyTo) =>
        // No id is left out: the difference is how many there are.
        val news = messages.takeRight((last - after).max(0).min(MaxMessages).toInt)
        replyTo ! News(room, news, last)
        Behaviors.same

      case Admit(User(name), replyTo) =>
        replyTo ! context.spawnAnonymous(Member(name, context.self))
        Behaviors.same

      // #region chat.presence
      case Join(user, member) if members.contains(user) =>
        member ! Member.TurnAway(Frame.NameTaken)
        Behaviors.same
      case Join(user, member) =>
        // A member is here as long as its actor lives.
        context.watchWith(member, Gone(user))
        tell(members.values, Frame.joined(user))
        member ! Member.Answer(Frame.entered(room, last))
        open(messages, last, members + (user -> member))
      case Gone(user) =>
        val others = members - user
        tell(others.values, Frame.left(user))
        open(messages, last, others)
      case WhoIsHere(replyTo) =>
        replyTo ! Present(room, members.keys.toSeq.sorted)
        Behaviors.same
      // #endregion chat.presence

      case Close =>
        context.children.foreach(context.stop(_))
        open(messages, last, Map.empty)
    }
  }
}
