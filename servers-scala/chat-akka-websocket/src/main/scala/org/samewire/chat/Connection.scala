package org.samewire.chat

import akka.NotUsed
import akka.actor.typed.ActorRef
import akka.http.scaladsl.model.ws.{BinaryMessage, Message => WebSocketMessage, TextMessage}
import akka.stream.Materializer
import akka.stream.scaladsl.{Flow, Sink, Source}
import akka.stream.typed.scaladsl.ActorSink
import java.nio.charset.StandardCharsets.UTF_8
import scala.concurrent.Future
import scala.util.control.NoStackTrace

/** The streams between a WebSocket and its member. */
object Connection {

  /** So many frames, of 2.2 KB at most, are less than 1 MiB. They are shared by all whom they wait
    * for.
    */
  private val MaxWaiting = 480
  private val MaxBytes = 65536

  private object Unwanted extends RuntimeException with NoStackTrace

  def of(
      member: ActorRef[Member.Command]
  )(implicit materializer: Materializer): Flow[WebSocketMessage, WebSocketMessage, NotUsed] = {
    // #region chat.deliver
    // The next frame is not read before the member has answered this one: a client that sends too fast has to wait.
    val incoming = Flow[WebSocketMessage]
      .mapAsync(1)(textOf)
      .to(
        ActorSink.actorRefWithBackpressure[String, Member.Command, Member.Next.type](
          member,
          messageAdapter = (_, frame) => Member.Received(frame),
          onInitMessage = Member.Readable(_),
          ackMessage = Member.Next,
          onCompleteMessage = Member.Closed,
          onFailureMessage = _ => Member.Closed
        )
      )
    val outgoing = Source
      .queue[TextMessage](MaxWaiting)
      .onErrorComplete[Member.Dropped.type]()
      .mapMaterializedValue(member ! Member.Writable(_))
    // #endregion chat.deliver
    Flow.fromSinkAndSource(incoming, outgoing)
  }

  /** Guards memory: a message may come in any number of frames, each of any size. */
  private def textOf(
      message: WebSocketMessage
  )(implicit materializer: Materializer): Future[String] =
    message match {
      // It came in one packet.
      case TextMessage.Strict(text) => Future.successful(text)
      case text: TextMessage        =>
        text.textStream
          .limitWeighted(MaxBytes)(_.getBytes(UTF_8).length)
          .runFold(new StringBuilder)(_ append _)
          .map(_.result())(materializer.executionContext)
      case binary: BinaryMessage =>
        binary.dataStream.runWith(Sink.cancelled)
        Future.failed(Unwanted)
    }
}
