package org.samewire.upload

import akka.actor.typed.scaladsl.AskPattern._
import akka.actor.typed.{ActorRef, ActorSystem, DispatcherSelector}
import akka.http.scaladsl.model._
import akka.http.scaladsl.model.headers.{Date, RawHeader}
import akka.http.scaladsl.server.Directives._
import akka.http.scaladsl.server._
import akka.stream.scaladsl.Source
import akka.util.{ByteString, Timeout}
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import scala.concurrent.duration._
import scala.concurrent.{ExecutionContext, Future}

/** The routes. */
final class UploadRoutes(
    uploads: ActorRef[Uploads.Receive],
    storage: Storage,
    limits: Upload.Limits,
    page: ByteString
)(implicit system: ActorSystem[_]) {
  import UploadRoutes._

  /** For a whole body. An upload always answers: when its connection breaks, too. */
  private implicit val timeout: Timeout = 1.hour

  private val blocking: ExecutionContext = system.dispatchers.lookup(DispatcherSelector.blocking())

  private implicit val rejections: RejectionHandler = RejectionHandler
    .newBuilder()
    .handleAll[MethodRejection] { rejected =>
      val allowed = rejected.map(_.supported).distinct
      refuse(
        Problem.methodNotAllowed(
          if (allowed.contains(HttpMethods.GET)) allowed :+ HttpMethods.HEAD else allowed
        )
      )
    }
    .handle { case rejection =>
      system.log.error("not handled: {}", rejection)
      refuse(Problem.Unforeseen)
    }
    .handleNotFound(refuse(Problem.NoSuchResource))
    .result()

  private implicit val exceptions: ExceptionHandler = ExceptionHandler { case unforeseen =>
    system.log.error(unforeseen.toString)
    refuse(Problem.Unforeseen)
  }

  // Sealed once: what a directive encloses is evaluated for every request.
  private val routes: Route = Route.seal(
    extractRequest { request =>
      val opened = open(request)
      concat(
        (path("uploads") & post)(opened.fold(_ => reject, receive(_, request))),
        // Whatever reads no body.
        IgnoredBody() {
          concat(
            pathSingleSlash(get(complete(HttpEntity(ContentTypes.`text/html(UTF-8)`, page)))),
            path("healthz")(get(complete(Healthy))),
            path("uploads")(post(opened.fold(refuse, _ => reject))),
            path("uploads" / Segment)(id => concat(get(send(id)), delete(remove(id))))
          )
        }
      )
    }
  )

  // Akka HTTP's own Date is up to a second old, and older under load.
  val route: Route = mapResponse(_.addHeader(Date(DateTime.now)))(routes)

  /** The begin of the body, or what is wrong with the head. */
  private def open(request: HttpRequest): Either[Problem, MultipartReader] = {
    def fields(name: String) = request.headers.filter(_.is(name)).map(_.value.trim)
    val mediaType = request.entity.contentType.mediaType
    // Those that Akka HTTP cannot parse; their boundary is unusable.
    val asFound = fields("content-type")
    val types = if (asFound.nonEmpty) asFound else Seq(mediaType.value)
    val isForm = types.forall(_.takeWhile(_ != ';').trim.equalsIgnoreCase("multipart/form-data"))
    val isPlain = fields("content-encoding").forall(_.equalsIgnoreCase("identity"))
    if (!isForm || !isPlain) Left(Problem.NotMultipart)
    else if (request.entity.contentLengthOption.exists(_ > limits.maxRequestBytes))
      Left(Problem.BodyTooLarge)
    else
      mediaType.params
        .collectFirst { case (name, boundary) if name.equalsIgnoreCase("boundary") => boundary }
        .flatMap(MultipartReader(_))
        .toRight(Problem.Malformed)
  }

  private def receive(multipart: MultipartReader, request: HttpRequest): Route = {
    val body = request.entity.withoutSizeLimit.dataBytes
    onSuccess(uploads.ask(Uploads.Receive(multipart, body, _))) {
      case Right(stored) =>
        val files = stored.map { file =>
          s"""{"id":"${file.id}","name":${quote(file.name)},"size":${file.size}}"""
        }
        val json = files.mkString("""{"files":[""", ",", "]}")
        complete(
          StatusCodes.Created -> HttpEntity(ContentTypes.`application/json`, ByteString(json))
        )
      case Left(problem) => refuse(problem)
    }
  }

  // #region upload.send-file
  /** Opened before it is answered: what is deleted from then on is sent nevertheless. */
  private def send(id: String): Route =
    onSuccess(Future(storage.open(id))(blocking)) {
      case None       => refuse(Problem.NoSuchUpload)
      case Some(file) =>
        val size = file.size
        val bytes = Source.unfoldResource[ByteString, FileChannel](() => file, read, _.close())
        if (size == 0) file.close()
        complete(
          HttpResponse(
            headers = Download,
            entity = HttpEntity(ContentTypes.`application/octet-stream`, size, bytes)
          )
        )
    }

  private def read(file: FileChannel): Option[ByteString] = {
    val bytes = new Array[Byte](ReadSize)
    val count = file.read(ByteBuffer.wrap(bytes))
    Option.when(count > 0)(ByteString.fromArrayUnsafe(bytes, 0, count))
  }
  // #endregion upload.send-file

  private def remove(id: String): Route =
    onSuccess(Future(storage.delete(id))(blocking)) { deleted =>
      if (deleted) complete(HttpResponse(StatusCodes.NoContent)) else refuse(Problem.NoSuchUpload)
    }
}

object UploadRoutes {
  private val ReadSize = 64 * 1024

  private val Healthy =
    HttpEntity(ContentTypes.`application/json`, ByteString("""{"status":"ok"}"""))

  private val Download = Seq(
    RawHeader("Content-Disposition", "attachment"),
    RawHeader("X-Content-Type-Options", "nosniff")
  )

  private def refuse(problem: Problem): Route = complete(problem.response)

  /** A JSON string. */
  private def quote(text: String): String = {
    val quoted = new StringBuilder(text.length + 16).append('"')
    text.foreach {
      case '"'          => quoted.append("\\\"")
      case '\\'         => quoted.append("\\\\")
      case '\b'         => quoted.append("\\b")
      case '\f'         => quoted.append("\\f")
      case '\n'         => quoted.append("\\n")
      case '\r'         => quoted.append("\\r")
      case '\t'         => quoted.append("\\t")
      case c if c < ' ' => quoted.append("\\u%04x".format(c.toInt))
      case c            => quoted.append(c)
    }
    quoted.append('"').toString
  }
}
