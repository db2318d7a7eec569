package org.samewire.report

import akka.NotUsed
import akka.actor.typed.ActorSystem
import akka.http.scaladsl.Http
import akka.http.scaladsl.model.MediaTypes.{`application/json`, `image/png`}
import akka.http.scaladsl.model.StatusCodes.OK
import akka.http.scaladsl.model.{HttpRequest, HttpResponse, MediaRange, MediaType}
import akka.stream.scaladsl.Source
import akka.util.ByteString
import java.util.Base64
import java.util.concurrent.atomic.AtomicBoolean
import org.slf4j.LoggerFactory
import scala.concurrent.duration.FiniteDuration
import scala.util.control.NonFatal
import spray.json.DefaultJsonProtocol._
import spray.json._

final case class Todo(id: Long, title: String, completed: Boolean)

/** Some todos, as the todo service lists them. */
final case class TodoList(items: Seq[Todo])

/** An upstream is away, or its answer is no use. */
final class BadUpstream(cause: Throwable) extends RuntimeException(cause)

/** The two servers that are asked. Each exchange has a connection of its own. Not the pool of Akka
  * HTTP: a request that it has taken cannot be taken back, and would go on after its time.
  */
final class Upstreams(settings: ReportSettings)(implicit system: ActorSystem[_]) {
  import Upstreams._

  val timeout: FiniteDuration = settings.upstreamTimeout

  val todos: Source[Seq[Todo], NotUsed] = watched("todo") {
    get(settings.todo, "/todos?limit=100", `application/json`, maxBytes = 1024 * 1024)
      // To the parser, U+FFFF is the end. Its escape is not.
      .map(_.utf8String.replace("\uffff", "\\uffff").parseJson.convertTo[TodoList].items)
  }

  /** As a URL that a page has in it. */
  val picture: Source[String, NotUsed] = watched("raytracer") {
    get(
      settings.raytracer,
      "/render?width=320&height=240&depth=3",
      `image/png`,
      maxBytes = 16 * 1024 * 1024
    )
      .map(bytes => "data:image/png;base64," + Base64.getEncoder.encodeToString(bytes.toArray))
  }

  private def get(
      upstream: Upstream,
      target: String,
      mediaType: MediaType,
      maxBytes: Long
  ): Source[ByteString, NotUsed] =
    Source
      .single(HttpRequest(uri = target))
      .via(Http().connectionTo(upstream.host).toPort(upstream.port).http())
      .flatMapConcat { response =>
        require(isRight(response, mediaType), s"${response.status} ${response.entity.contentType}")
        // Copied: else an object would be kept for each chunk, and a chunk may have one byte.
        response.entity
          .withSizeLimit(maxBytes)
          .dataBytes
          .fold(ByteString.newBuilder)((copied, bytes) => copied.putBytes(bytes.toArray))
          .map(_.result())
      }

  private def isRight(response: HttpResponse, mediaType: MediaType): Boolean =
    response.status == OK &&
      MediaRange(mediaType).matches(response.entity.contentType.mediaType) &&
      !response.headers.exists(_.is("content-encoding"))
}

object Upstreams {
  private val log = LoggerFactory.getLogger(classOf[Upstreams])
  private implicit val todoFormat: RootJsonFormat[Todo] = jsonFormat3(Todo.apply)
  private implicit val todoListFormat: RootJsonFormat[TodoList] = jsonFormat1(TodoList.apply)

  /** That an upstream fails is logged once, and once that it is well again. */
  private def watched[T](name: String)(source: Source[T, NotUsed]): Source[T, NotUsed] = {
    val isWell = new AtomicBoolean(true)
    source
      .wireTap(_ => if (!isWell.getAndSet(true)) log.info("{} is well again", name))
      .mapError { case NonFatal(cause) =>
        if (isWell.getAndSet(false)) {
          val reason = cause.toString.take(300).replaceAll("[\\s\\p{Cntrl}]+", " ")
          log.warn("{} is away, or its answer is bad: {}", name, reason: Any)
        }
        new BadUpstream(cause)
      }
  }
}
