package org.samewire.chat

import akka.http.scaladsl.model._
import akka.http.scaladsl.server._
import java.util.concurrent.TimeoutException
import org.slf4j.LoggerFactory
import scala.util.control.NonFatal
import spray.json.DefaultJsonProtocol._
import spray.json._

/** What goes wrong is answered as RFC 9457 has it, from this file alone. */
final case class Problem(title: String, status: Int, detail: String)

object Problem {
  private val log = LoggerFactory.getLogger(classOf[Problem])
  private implicit val format: RootJsonFormat[Problem] = jsonFormat3(Problem.apply)

  private def entity(status: StatusCode, detail: String): ResponseEntity =
    HttpEntity(
      ContentType(MediaTypes.`application/problem+json`),
      Problem(status.reason, status.intValue, detail).toJson.compactPrint
    )

  private def complete(status: StatusCode, detail: String): Route =
    Directives.complete(HttpResponse(status, entity = entity(status, detail)))

  val rejections: RejectionHandler = RejectionHandler.default.mapRejectionResponse {
    case response @ HttpResponse(status, _, HttpEntity.Strict(_, text), _) =>
      response.withEntity(entity(status, text.utf8String))
    case response => response
  }

  val exceptions: ExceptionHandler = ExceptionHandler {
    // By default it is logged as a warning.
    case IllegalRequestException(info, status) => complete(status, info.summary)
    case _: TimeoutException                   =>
      complete(StatusCodes.ServiceUnavailable, "The room does not answer.")
    case NonFatal(cause) =>
      log.error("unexpected", cause)
      complete(StatusCodes.InternalServerError, "Something went wrong.")
  }
}
