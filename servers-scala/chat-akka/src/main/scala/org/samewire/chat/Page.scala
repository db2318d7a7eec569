package org.samewire.chat

import akka.http.scaladsl.model.ContentTypes.`text/html(UTF-8)`
import akka.http.scaladsl.model.HttpCharsets.`UTF-8`
import akka.http.scaladsl.model.MediaTypes.{`image/svg+xml`, `text/css`}
import akka.http.scaladsl.model.headers.RawHeader
import akka.http.scaladsl.model.{ContentType, HttpEntity, MediaType}
import akka.http.scaladsl.server.Directives._
import akka.http.scaladsl.server.Route

/** The page and its files. They are in memory: getFromResource would send streams, which a stop
  * cuts.
  */
object Page {
  private val noSniff = respondWithHeader(RawHeader("X-Content-Type-Options", "nosniff"))
  private val ownContentOnly = respondWithHeader(
    RawHeader(
      "Content-Security-Policy",
      "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
  )

  // Akka HTTP knows it by its older name, application/javascript.
  private val javaScript =
    MediaType.customWithOpenCharset("text", "javascript").withCharset(`UTF-8`)

  private val page = file("index.html", `text/html(UTF-8)`)
  private val assets = Map[String, ContentType](
    "chat.css" -> `text/css`.withCharset(`UTF-8`),
    "chat.js" -> javaScript,
    "lines.js" -> javaScript,
    "room.js" -> javaScript,
    "socket.io.js" -> javaScript,
    "websocket.js" -> javaScript,
    "icon.svg" -> ContentType(`image/svg+xml`)
  ).map { case (name, contentType) => name -> file(s"assets/$name", contentType) }

  private def file(name: String, contentType: ContentType): HttpEntity.Strict =
    HttpEntity(contentType, getClass.getResourceAsStream(s"/$name").readAllBytes())

  val route: Route =
    noSniff {
      concat(
        pathSingleSlash(get(ownContentOnly(complete(page)))),
        path("assets" / assets)(file => get(complete(file)))
      )
    }
}
