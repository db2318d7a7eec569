package org.samewire.raytracer

import akka.actor.typed.scaladsl.AskPattern._
import akka.actor.typed.{ActorRef, ActorSystem}
import akka.http.scaladsl.model._
import akka.http.scaladsl.model.headers.Date
import akka.http.scaladsl.server.Directives._
import akka.http.scaladsl.server._
import akka.util.{ByteString, Timeout}
import scala.concurrent.Future
import scala.concurrent.duration._

/** The routes. */
final class RaytracerRoutes(gallery: ActorRef[Gallery.Command])(implicit system: ActorSystem[_]) {
  import RaytracerRoutes._

  /** A last resort: waiting pictures are limited by their number. */
  private implicit val timeout: Timeout = 290.seconds

  private implicit val rejections: RejectionHandler = RejectionHandler
    .newBuilder()
    .handleAll[MethodRejection] { rejected =>
      val allowed = rejected.map(_.supported)
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

  private implicit val exceptions: ExceptionHandler = ExceptionHandler {
    case _: IllegalUriException => complete(HttpResponse(StatusCodes.BadRequest))
    case unforeseen             =>
      system.log.error(unforeseen.toString)
      refuse(Problem.Unforeseen)
  }

  // Sealed once: what a directive encloses is evaluated for every request.
  private val routes: Route = Route.seal(
    IgnoredBody() {
      concat(
        path("healthz")(get(complete(Healthy))),
        path("render")(get(render))
      )
    }
  )

  // Akka HTTP's own Date is up to a second old, and older under load.
  val route: Route = mapResponse(_.addHeader(Date(DateTime.now)))(routes)

  private def render: Route = extractRequest { request =>
    val query = request.uri.query()
    def number(name: String, from: Int, to: Int) =
      query
        .get(name)
        .filter(_.matches("0|[1-9][0-9]{0,3}"))
        .map(_.toInt)
        .filter(from to to contains _)
    val gone = request.attribute(Connections.Gone).getOrElse(Future.never)

    (number("width", 1, 1920), number("height", 1, 1080), number("depth", 0, 10)) match {
      case (None, _, _)                             => refuse(Problem.InvalidWidth)
      case (_, None, _)                             => refuse(Problem.InvalidHeight)
      case (_, _, None)                             => refuse(Problem.InvalidDepth)
      case (Some(width), Some(height), Some(depth)) =>
        picture(gallery.ask(Gallery.Picture(width, height, depth, gone, _)))
    }
  }

  private def picture(answer: Future[Gallery.Answer]): Route =
    onSuccess(answer) {
      case Gallery.Png(bytes)               => complete(HttpEntity(MediaTypes.`image/png`, bytes))
      case Gallery.Busy | Gallery.Abandoned => refuse(Problem.Busy)
      case Gallery.Failed(cause)            => failWith(cause)
    }
}

object RaytracerRoutes {
  private val Healthy =
    HttpEntity(ContentTypes.`application/json`, ByteString("""{"status":"ok"}"""))

  private def refuse(problem: Problem): Route = complete(problem.response)
}
