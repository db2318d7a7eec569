package org.samewire.todo

import org.apache.pekko.event.LoggingAdapter
import org.apache.pekko.http.ParsingErrorHandler
import org.apache.pekko.http.scaladsl.model.{ErrorInfo, HttpResponse, StatusCode}
import org.apache.pekko.http.scaladsl.settings.ServerSettings

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
