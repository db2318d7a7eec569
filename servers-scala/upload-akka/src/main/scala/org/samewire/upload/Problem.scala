package org.samewire.upload

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
    val body = s"""{"type":"about:blank","title":"${status.reason}",""" +
      s""""status":${status.intValue},"detail":"$detail"}"""
    HttpResponse(status, headers, HttpEntity(Problem.Json, ByteString(body)))
  }
}

object Problem {
  private val Json = ContentType(MediaTypes.`application/problem+json`)

  val Malformed = Problem(StatusCodes.BadRequest, "Malformed multipart body.")
  val NoFile = Problem(StatusCodes.BadRequest, "At least one file is required.")
  val TooManyFiles = Problem(StatusCodes.BadRequest, "At most 2 files are accepted.")
  val UnexpectedFile = Problem(StatusCodes.BadRequest, "Unexpected file field.")
  val NoSuchResource = Problem(StatusCodes.NotFound, "No such resource.")
  val NoSuchUpload = Problem(StatusCodes.NotFound, "No such upload.")
  val BodyTooLarge = Problem(StatusCodes.ContentTooLarge, "Request body too large.")
  val NotMultipart =
    Problem(StatusCodes.UnsupportedMediaType, "Content-Type must be multipart/form-data.")
  val Unforeseen = Problem(StatusCodes.InternalServerError, "Internal server error.")
  val NoSpace = Problem(StatusCodes.InsufficientStorage, "Insufficient storage.")

  def methodNotAllowed(allowed: Seq[HttpMethod]): Problem =
    Problem(StatusCodes.MethodNotAllowed, "Method not allowed.", Seq(Allow(allowed)))
}
