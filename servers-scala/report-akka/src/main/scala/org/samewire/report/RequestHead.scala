package org.samewire.report

import akka.NotUsed
import akka.http.scaladsl.model.headers.Connection
import akka.http.scaladsl.model.{HttpRequest, HttpResponse, StatusCodes}
import akka.http.scaladsl.server.Directive0
import akka.http.scaladsl.server.Directives._
import akka.stream.scaladsl.{Flow, Source}
import java.util.concurrent.TimeoutException
import scala.concurrent.Future
import scala.concurrent.duration._

/** Guards time: a connection ends if no head comes whole. Akka HTTP's own idle-timeout starts anew
  * with each byte, and must be longer than an upstream may take.
  */
object RequestHead {
  def inTime(
      answer: HttpRequest => Future[HttpResponse]
  ): Flow[HttpRequest, HttpResponse, NotUsed] =
    Flow[HttpRequest]
      .initialTimeout(10.seconds)
      .flatMapConcat { request =>
        // While an answer is awaited, nobody is idle.
        Source.future(answer(request)).map(Option(_)).keepAlive(1.second, () => None)
      }
      .idleTimeout(60.seconds)
      .onErrorComplete[TimeoutException]()
      .collect { case Some(response) => response }

  /** Guards the framing: a byte from 0xC0 on takes the end of its line with it, and the next field
    * becomes a part of the value. That field may be Content-Length.
    */
  val unbroken: Directive0 = extractRequest.flatMap { request =>
    if (request.headers.exists(_.value.exists(char => char == '\r' || char == '\n')))
      complete(HttpResponse(StatusCodes.BadRequest, Seq(Connection("close"))))
    else pass
  }
}
