package org.samewire.chat

import akka.http.scaladsl.model.headers.RawHeader
import akka.http.scaladsl.model.{
  ContentType,
  ContentTypes,
  HttpCharsets,
  HttpEntity,
  HttpResponse,
  MediaType,
  MediaTypes
}
import akka.util.ByteString
import scala.util.Using

/** The page and its assets, which are part of the jar and stay in memory.
  *
  * Not by way of Akka HTTP's own directives for resources: they answer conditional requests and
  * ranges, which the contract has not.
  */
object Page {
  private val NoSniff = RawHeader("X-Content-Type-Options", "nosniff")
  private val OwnContentOnly = RawHeader(
    "Content-Security-Policy",
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  )
  // Akka HTTP knows it by its older name only, application/javascript.
  private val JavaScript = MediaType
    .customWithOpenCharset("text", "javascript")
    .withCharset(HttpCharsets.`UTF-8`)
  private val Css = MediaTypes.`text/css`.withCharset(HttpCharsets.`UTF-8`)

  val index: HttpResponse =
    file("index.html", ContentTypes.`text/html(UTF-8)`).addHeader(OwnContentOnly)

  val assets: Map[String, HttpResponse] = Map[String, ContentType](
    "chat.css" -> Css,
    "chat.js" -> JavaScript,
    "room.js" -> JavaScript,
    "icon.svg" -> ContentType(MediaTypes.`image/svg+xml`),
    "socket.io.js" -> JavaScript
  ).map { case (name, contentType) => name -> file(s"assets/$name", contentType) }

  private def file(name: String, contentType: ContentType): HttpResponse = {
    val bytes = Using.resource(getClass.getResourceAsStream(s"/$name"))(_.readAllBytes)
    HttpResponse(
      headers = Seq(NoSniff),
      entity = HttpEntity(contentType, ByteString.fromArrayUnsafe(bytes))
    )
  }
}
