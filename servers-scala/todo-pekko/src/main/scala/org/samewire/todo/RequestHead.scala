package org.samewire.todo

import org.apache.pekko.NotUsed
import org.apache.pekko.http.scaladsl.model.headers.Connection
import org.apache.pekko.http.scaladsl.model.{HttpRequest, HttpResponse, StatusCodes}
import org.apache.pekko.http.scaladsl.server.Directive0
import org.apache.pekko.http.scaladsl.server.Directives._
import org.apache.pekko.stream.scaladsl.Flow
import java.util.concurrent.TimeoutException
import scala.concurrent.duration._

object RequestHead {

  /** Guards time: a connection ends if no head comes whole. Pekko HTTP's own idle-timeout starts
    * anew with each byte.
    */
  val inTime: Flow[HttpRequest, HttpRequest, NotUsed] =
    Flow[HttpRequest]
      .initialTimeout(10.seconds)
      .idleTimeout(60.seconds)
      .onErrorComplete[TimeoutException]()

  /** Guards the framing: a byte from 0xC0 on takes the end of its line with it, and the next field
    * becomes a part of the value. That field may be Content-Length.
    */
  val unbroken: Directive0 = extractRequest.flatMap { request =>
    if (request.headers.exists(_.value.exists(char => char == '\r' || char == '\n')))
      complete(HttpResponse(StatusCodes.BadRequest, Seq(Connection("close"))))
    else pass
  }
}
