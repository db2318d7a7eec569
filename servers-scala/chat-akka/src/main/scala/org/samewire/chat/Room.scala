package org.samewire.chat

import akka.actor.typed.scaladsl.{ActorContext, Behaviors, TimerScheduler}
import akka.actor.typed.{ActorRef, Behavior}
import akka.http.scaladsl.model.sse.ServerSentEvent
import akka.pattern.StatusReply
import akka.util.ByteString
import java.util.UUID
import scala.concurrent.duration._

final case class Message(id: Long, user: String, text: String) {

  /** Written once: answers share these bytes, and many may wait for clients that do not read. */
  val json: ByteString = ByteString(JsonFormats.messageFormat.write(this).compactPrint)

  /** Made once, if anybody listens. */
  lazy val event: ServerSentEvent = ServerSentEvent(json.utf8String, id = Some(id.toString))
}

// Ids begin anew with each room: every answer says which one it comes from.
final case class Posted(room: String, id: Long, user: String, text: String)
final case class News(room: String, messages: Vector[Message], last: Long)
final case class Present(room: String, users: Seq[String])

/** The room is an actor: one thing happens to it after the other. */
object Room {
  sealed trait Command
  final case class Post(message: NewMessage, replyTo: ActorRef[Posted]) extends Command
  final case class Poll(since: Since, replyTo: ActorRef[News]) extends Command

  sealed trait Listen extends Command { def since: Since; def listener: Listener }

  /** Is answered when there is a message. */
  final case class Await(since: Since, listener: Listener) extends Listen

  /** Is told what is there, and then each new message. */
  final case class Follow(since: Since, listener: Listener) extends Listen
  final case class Leave(listener: Listener) extends Command
  final case class WhoIsHere(replyTo: ActorRef[Present]) extends Command

  /** Nobody waits any longer. */
  case object Close extends Command
  private final case class Gone(user: String) extends Command

  /** The room forgets it when it stops: an ask when it is answered or late, a stream when it ends.
    */
  type Listener = ActorRef[StatusReply[News]]

  private val MaxMessages = 1000

  /** Half of the connections are left for others: see max-connections. */
  private val MaxListeners = 256
  private val TimePresent = 2.seconds

  /** With the newest `messages`, the id of the `last` one, and who has polled a moment ago. */
  private final case class State(
      messages: Vector[Message] = Vector.empty,
      last: Long = 0,
      polling: Set[String] = Set.empty,
      listeners: Map[Listener, Listen] = Map.empty,
      isClosed: Boolean = false
  )

  def apply(): Behavior[Command] =
    Behaviors.setup { context =>
      Behaviors.withTimers(new Room(UUID.randomUUID.toString, context, _).open(State()))
    }
}

private final class Room(
    room: String,
    context: ActorContext[Room.Command],
    timers: TimerScheduler[Room.Command]
) {
  import Room._

  private def open(state: State): Behavior[Command] =
    Behaviors.receiveMessage {
      // #region chat.post-message
      case Post(NewMessage(user, text), replyTo) =>
        val message = Message(state.last + 1, user, text)
        replyTo ! Posted(room, message.id, user, text)
        tell(state, News(room, Vector(message), message.id))
        val messages = (state.messages :+ message).takeRight(MaxMessages)
        open(state.copy(messages, last = message.id))
      // #endregion chat.post-message

      case Poll(since, replyTo) =>
        replyTo ! news(state, since)
        open(seen(state, since))

      // #region chat.long-poll
      case Await(since, listener) if state.last > since.after || state.isClosed =>
        listener ! StatusReply.success(news(state, since))
        open(seen(state, since))
      case listen: Listen if state.listeners.size == MaxListeners =>
        listen.listener ! StatusReply.error("No more clients can listen now.")
        Behaviors.same
      case await: Await => open(listening(state, await))
      // #endregion chat.long-poll

      // #region chat.events
      case follow @ Follow(since, listener) =>
        listener ! StatusReply.success(news(state, since))
        open(listening(state, follow))
      // #endregion chat.events

      // #region chat.presence
      case Leave(listener) =>
        context.unwatch(listener)
        val rest = state.copy(listeners = state.listeners - listener)
        state.listeners.get(listener) match {
          case Some(Await(since, _)) => open(seen(rest, since))
          case _                     => open(rest)
        }
      case Gone(user)         => open(state.copy(polling = state.polling - user))
      case WhoIsHere(replyTo) =>
        val listening = state.listeners.values.flatMap(_.since.user)
        replyTo ! Present(room, (state.polling ++ listening).toSeq.sorted)
        Behaviors.same
      // #endregion chat.presence

      case Close =>
        tell(state, News(room, Vector.empty, state.last))
        open(state.copy(isClosed = true))
    }

  // #region chat.deliver
  /** No id is left out: the difference is how many there are. */
  private def news(state: State, since: Since): News = {
    val count = (state.last - since.after).max(0).min(MaxMessages).toInt
    News(room, state.messages.takeRight(count), state.last)
  }
  // #endregion chat.deliver

  private def listening(state: State, listen: Listen): State = {
    context.watchWith(listen.listener, Leave(listen.listener))
    state.copy(listeners = state.listeners.updated(listen.listener, listen))
  }

  // #region chat.deliver
  private def tell(state: State, news: News): Unit =
    for (one <- state.listeners.values if news.last > one.since.after || news.messages.isEmpty)
      one.listener ! StatusReply.success(news)
  // #endregion chat.deliver

  // #region chat.presence
  private def seen(state: State, since: Since): State = {
    // In the place of the timer that began when the user was last seen.
    since.user.foreach(user => timers.startSingleTimer(user, Gone(user), TimePresent))
    state.copy(polling = state.polling ++ since.user)
  }
  // #endregion chat.presence
}
