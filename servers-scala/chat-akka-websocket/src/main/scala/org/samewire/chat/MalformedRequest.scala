package org.samewire.chat

import akka.event.LoggingAdapter
import akka.http.ParsingErrorHandler
import akka.http.scaladsl.model.{ErrorInfo, HttpResponse, StatusCode}
import akka.http.scaladsl.settings.ServerSettings

/** Guards the framing: what cannot be parsed is refused without a body. By default it has one,
  * after HEAD as well.
  */
object MalformedRequest extends ParsingErrorHandler {
  override def handle(
      status: StatusCode,
      error: ErrorInfo,
      log: LoggingAdapter,
      settings: ServerSettings
  ): HttpResponse = HttpResponse(status)
}
