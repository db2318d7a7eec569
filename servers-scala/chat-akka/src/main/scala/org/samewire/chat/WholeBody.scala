package org.samewire.chat

import akka.Done
import akka.http.scaladsl.model.{HttpEntity, HttpRequest}
import akka.http.scaladsl.server.Directive1
import akka.http.scaladsl.server.Directives._
import akka.stream.Materializer
import akka.util.ByteString
import scala.concurrent.duration._
import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.util.control.NonFatal

/** Reads the body of every request, wanted or not, before the request is answered.
  *
  * Akka HTTP closes the connection after an answer that comes earlier, and a client that is still
  * sending sees a reset in the place of the answer.
  */
object WholeBody {
  private val Time = 60.seconds

  /** How long a body that is too large by its length may pause before it is not waited for. */
  private val Pause = 500.millis

  /** The bytes, at most `limit` of them, or none if they are more or never arrived. */
  def apply(limit: Int): Directive1[Option[ByteString]] =
    extractRequestContext.flatMap { context =>
      import context.{executionContext, materializer, request}
      request.entity match {
        case HttpEntity.Strict(_, data) => provide(Some(data).filter(_.length <= limit))
        case entity if entity.contentLengthOption.exists(_ > limit) =>
          onSuccess(drain(request)).map((_: Done) => Option.empty[ByteString])
        case _ => onSuccess(read(request, limit))
      }
    }

  private def read(request: HttpRequest, limit: Int)(implicit
      materializer: Materializer,
      executionContext: ExecutionContext
  ): Future[Option[ByteString]] =
    request.entity.dataBytes
      .completionTimeout(Time)
      .runFold(ByteString.empty)((kept, more) => kept ++ more.take(limit + 1 - kept.length))
      .map(Some(_).filter(_.length <= limit))
      .recover { case NonFatal(_) => None }

  /** Reads as long as more keeps coming. The stream is never cancelled: that would cut the
    * connection before the answer.
    */
  private def drain(request: HttpRequest)(implicit
      materializer: Materializer,
      executionContext: ExecutionContext
  ): Future[Done] =
    // A client with expectations waits for the word to send.
    if (request.headers.exists(_.is("expect"))) Future.successful(Done)
    else {
      val enough = Promise[Done]()
      request.entity.dataBytes
        .map(_ => true)
        .keepAlive(Pause, () => false)
        .runForeach(coming => if (!coming) enough.trySuccess(Done))
        .onComplete(_ => enough.trySuccess(Done))
      enough.future
    }
}
