package org.samewire.randoms

import akka.event.LoggingAdapter
import akka.http.ParsingErrorHandler
import akka.http.scaladsl.model.{ErrorInfo, HttpEntity, HttpResponse, StatusCode, StatusCodes}
import akka.http.scaladsl.settings.ServerSettings

/** What is not HTTP as a server may take it gets a status without a body, then the connection ends.
  */
object MalformedRequests extends ParsingErrorHandler {
  override def handle(
      status: StatusCode,
      error: ErrorInfo,
      log: LoggingAdapter,
      settings: ServerSettings
  ): HttpResponse =
    // Not 501 and 505 for unknown methods and versions: it is the client's request that is at fault.
    HttpResponse(
      if (status.intValue < 500) status else StatusCodes.BadRequest,
      entity = HttpEntity.Empty
    )
}
