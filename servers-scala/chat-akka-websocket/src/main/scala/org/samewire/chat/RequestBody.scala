package org.samewire.chat

import akka.http.scaladsl.model.StatusCodes.{
  BadRequest,
  ClientError,
  ContentTooLarge,
  RequestTimeout
}
import akka.http.scaladsl.model.{
  EntityStreamException,
  EntityStreamSizeException,
  ErrorInfo,
  IllegalRequestException
}
import akka.http.scaladsl.server.Directive0
import akka.http.scaladsl.server.Directives._
import akka.stream.scaladsl.Flow
import akka.util.ByteString
import akka.NotUsed
import java.util.concurrent.TimeoutException
import scala.concurrent.duration._

/** Guards time and memory. toStrictEntity would keep an object for each chunk: 64 KiB that come in
  * chunks of a byte are 65,536 of them, and some clients that do so would fill the heap.
  */
object RequestBody {
  private val MaxTime = 30.seconds
  private val TooLarge = "The body is too large."

  /** A tiny chunk costs far more than its bytes. */
  private val ManyChunks = 1000
  private val SmallChunk = 16

  /** A body is read whole, wherever it is sent, before its request is answered. */
  val read: Directive0 = extractRequestContext.flatMap { context =>
    import context.{materializer, request}
    if (request.entity.isStrict) pass
    else {
      val body = request.entity.dataBytes
        .completionTimeout(MaxTime)
        .mapError(asRefusal)
        .via(limitChunks)
        .runFold(ByteString.newBuilder)((copied, bytes) => copied.putBytes(bytes.toArray))
      onSuccess(body).flatMap { copied =>
        mapRequest(_.withEntity(request.entity.contentType, copied.result()))
      }
    }
  }

  private val limitChunks: Flow[ByteString, ByteString, NotUsed] =
    Flow[ByteString].statefulMap(() => (0, 0))(
      { case ((chunks, size), bytes) =>
        val sum @ (number, length) = (chunks + 1, size + bytes.length)
        if (number > ManyChunks && length / number < SmallChunk)
          throw refusal(ContentTooLarge, "The body comes in too many tiny chunks.")
        (sum, bytes)
      },
      _ => None
    )

  /** A body that cannot be read is its client's fault. */
  private def asRefusal: PartialFunction[Throwable, Throwable] = {
    case _: EntityStreamSizeException => refusal(ContentTooLarge, TooLarge)
    // This is how it says that a chunk is larger than max-chunk-size, and so is the body.
    case EntityStreamException(info) if info.summary.startsWith("HTTP chunk size exceeds") =>
      refusal(ContentTooLarge, TooLarge)
    case _: TimeoutException => refusal(RequestTimeout, s"The body took more than $MaxTime.")
    case broken              => refusal(BadRequest, broken.getMessage)
  }

  private def refusal(status: ClientError, detail: String): Throwable =
    IllegalRequestException(status, new ErrorInfo(detail))
}
