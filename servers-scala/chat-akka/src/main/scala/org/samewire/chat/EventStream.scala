package org.samewire.chat

import akka.NotUsed
import akka.actor.typed.{ActorRef, ActorSystem}
import akka.http.scaladsl.model.sse.ServerSentEvent
import akka.pattern.StatusReply
import akka.stream.OverflowStrategy
import akka.stream.scaladsl.{Flow, Sink, Source}
import akka.stream.typed.scaladsl.ActorSource
import akka.util.ByteString
import scala.concurrent.Future
import scala.concurrent.duration._
import scala.util.control.NoStackTrace
import spray.json._

/** The event that a stream begins with. */
final case class Opened(room: String, last: Long)

object EventStream {
  import JsonFormats._

  /** The room tells a client that does not read as well: so much may wait for it. */
  private val MaxWaitingBytes = 1024 * 1024
  private val MaxUnseen = 1000

  /** What a client has not taken. */
  private final case class Backlog(messages: Vector[Message], bytes: Long) {
    def add(news: News): Backlog = {
      val sum = bytes + news.messages.iterator.map(_.json.length).sum
      if (sum > MaxWaitingBytes) throw Slow
      Backlog(messages ++ news.messages, sum)
    }
  }

  private object Slow extends RuntimeException("The client is too slow.") with NoStackTrace

  // #region chat.events
  /** Fails if the room refuses. */
  def apply(room: ActorRef[Room.Command], since: Since)(implicit
      system: ActorSystem[_]
  ): Future[Source[ServerSentEvent, NotUsed]] = {
    import system.executionContext
    ActorSource
      .actorRef[StatusReply[News]](
        completionMatcher = PartialFunction.empty,
        failureMatcher = { case StatusReply.Error(refusal) => refusal },
        bufferSize = MaxUnseen,
        overflowStrategy = OverflowStrategy.fail
      )
      .mapMaterializedValue(listener => room ! Room.Follow(since, listener))
      .collect { case StatusReply.Success(news: News) => news }
      .prefixAndTail(1)
      .runWith(Sink.head)
      .map { case (first, coming) => events(first.head, coming) }
  }

  private def events(
      first: News,
      coming: Source[News, NotUsed]
  ): Source[ServerSentEvent, NotUsed] =
    Source
      .single(ServerSentEvent(Opened(first.room, first.last).toJson.compactPrint, "room"))
      .concat(Source(first.messages).concat(coming.via(waiting)).map(_.event))

  /** By the second comment at the latest it is known that a client has gone. The heartbeat of Akka
    * HTTP is no comment: browsers take it for an empty message.
    */
  val comments: Flow[ByteString, ByteString, NotUsed] =
    Flow[ByteString].keepAlive(1.second, () => ByteString(":\n\n"))

  /** A stream fails whose client leaves too much waiting. Its connection is cut. */
  private val waiting: Flow[News, Message, NotUsed] =
    Flow[News].conflateWithSeed(Backlog(Vector.empty, 0).add(_))(_ add _).mapConcat(_.messages)
  // #endregion chat.events
}
