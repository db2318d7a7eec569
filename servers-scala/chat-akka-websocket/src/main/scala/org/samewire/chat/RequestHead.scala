package org.samewire.chat

import akka.NotUsed
import akka.http.scaladsl.model.headers.Connection
import akka.http.scaladsl.model.{HttpRequest, HttpResponse, StatusCodes}
import akka.http.scaladsl.server.Directive0
import akka.http.scaladsl.server.Directives._
import akka.stream.scaladsl.Flow
import java.util.concurrent.TimeoutException
import scala.concurrent.duration._

object RequestHead {

  /** Guards time: a connection ends if no head comes whole. Akka HTTP's own idle-timeout starts
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
