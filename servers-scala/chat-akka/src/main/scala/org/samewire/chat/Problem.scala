package org.samewire.chat

import akka.http.scaladsl.model.headers.Allow
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
    val body = s"""{"type":"about:blank","title":${Json.quote(status.reason)},""" +
      s""""status":${status.intValue},"detail":${Json.quote(detail)}}"""
    HttpResponse(status, headers, HttpEntity(Problem.Json, ByteString(body)))
  }
}

object Problem {
  private val Json = ContentType(MediaTypes.`application/problem+json`)

  val InvalidJson = Problem(StatusCodes.BadRequest, "Request body is not valid JSON.")
  val InvalidAfter = Problem(StatusCodes.BadRequest, "after must be a non-negative integer.")
  val NoSuchResource = Problem(StatusCodes.NotFound, "No such resource.")
  val BodyTooLarge = Problem(StatusCodes.ContentTooLarge, "Request body too large.")
  val NotJson = Problem(StatusCodes.UnsupportedMediaType, "Content-Type must be application/json.")
  val Unforeseen = Problem(StatusCodes.InternalServerError, "Internal server error.")
  val InvalidUser = brokenRule("user must be a string of 1 to 32 characters.")
  val InvalidText = brokenRule("text must be a string of 1 to 500 characters.")

  def methodNotAllowed(allowed: Seq[HttpMethod]): Problem =
    Problem(StatusCodes.MethodNotAllowed, "Method not allowed.", Seq(Allow(allowed)))

  def brokenRule(detail: String): Problem = Problem(StatusCodes.BadRequest, detail)
}
