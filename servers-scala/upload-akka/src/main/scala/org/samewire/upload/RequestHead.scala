package org.samewire.upload

import akka.NotUsed
import akka.http.scaladsl.model.HttpHeader.ParsingResult
import akka.http.scaladsl.model.headers.{Connection, RawHeader}
import akka.http.scaladsl.model.{HttpHeader, HttpRequest, HttpResponse, StatusCodes}
import akka.http.scaladsl.server.Directive0
import akka.http.scaladsl.server.Directives._
import akka.stream.scaladsl.{Flow, Source}
import java.util.concurrent.TimeoutException
import scala.concurrent.Future
import scala.concurrent.duration._

object RequestHead {
  private val Conditions =
    Set("if-match", "if-none-match", "if-modified-since", "if-unmodified-since")
  private val Read = Conditions + "range" + "if-range"

  /** Guards time: a connection ends if no head comes whole. Akka HTTP's own idle-timeout starts
    * anew with each byte.
    */
  def inTime(
      answer: HttpRequest => Future[HttpResponse]
  ): Flow[HttpRequest, HttpResponse, NotUsed] =
    Flow[HttpRequest]
      .initialTimeout(10.seconds)
      .flatMapConcat { request =>
        // A request may take longer: idle-timeout limits how long its body pauses.
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

  /** Fields that getFromFile reads. Only an unbroken value can be parsed: what is left of another
    * one shows no line end.
    */
  val parsed: Directive0 = mapRequest(_.mapHeaders(_.map {
    case field: RawHeader if Read(field.lowercaseName) =>
      HttpHeader.parse(field.name, field.value) match {
        case ParsingResult.Ok(header, _) => header
        case _                           => field
      }
    case field => field
  }))
}
