package org.samewire.randoms

import akka.http.scaladsl.model.headers.{Allow, RawHeader}
import akka.http.scaladsl.model.{
  ContentType,
  HttpEntity,
  HttpHeader,
  HttpMethod,
  HttpResponse,
  MediaTypes,
  StatusCode,
  StatusCodes
}
import akka.util.ByteString

/** An answer with an RFC 9457 body. */
final case class Problem(status: StatusCode, detail: String, headers: Seq[HttpHeader] = Nil) {
  def response: HttpResponse = {
    val body = s"""{"type":"about:blank","title":"${status.reason}",""" +
      s""""status":${status.intValue},"detail":"$detail"}"""
    HttpResponse(status, headers, HttpEntity(Problem.Json, ByteString(body)))
  }
}

object Problem {
  private val Json = ContentType(MediaTypes.`application/problem+json`)

  val NoSuchResource = Problem(StatusCodes.NotFound, "No such resource.")
  val Unforeseen = Problem(StatusCodes.InternalServerError, "Internal server error.")
  val InvalidCount =
    Problem(StatusCodes.BadRequest, "count must be an integer from 0 to 100000000.")
  val InvalidSeed =
    Problem(StatusCodes.BadRequest, "seed must be an integer from 1 to 4294967295.")
  val Busy = Problem(
    StatusCodes.ServiceUnavailable,
    "Service unavailable.",
    Seq(RawHeader("Retry-After", "1"))
  )

  def methodNotAllowed(allowed: Seq[HttpMethod]): Problem =
    Problem(StatusCodes.MethodNotAllowed, "Method not allowed.", Seq(Allow(allowed)))
}
