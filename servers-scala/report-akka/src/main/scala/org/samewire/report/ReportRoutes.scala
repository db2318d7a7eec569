package org.samewire.report

import akka.actor.typed.scaladsl.AskPattern._
import akka.actor.typed.{ActorRef, ActorSystem}
import akka.http.scaladsl.model._
import akka.http.scaladsl.model.headers.Date
import akka.http.scaladsl.server.Directives._
import akka.http.scaladsl.server._
import akka.util.{ByteString, Timeout}

/** The routes. `timeout` is for a whole report. */
final class ReportRoutes(reports: ActorRef[Reports.Make])(implicit
    system: ActorSystem[_],
    timeout: Timeout
) {
  import ReportRoutes._

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

  private implicit val exceptions: ExceptionHandler = ExceptionHandler { case unforeseen =>
    system.log.error(unforeseen.toString)
    refuse(Problem.Unforeseen)
  }

  // Sealed once: what a directive encloses is evaluated for every request.
  private val routes: Route = Route.seal(
    IgnoredBody() {
      concat(
        path("healthz")(get(complete(Healthy))),
        path("report")(get(report))
      )
    }
  )

  // Akka HTTP's own Date is up to a second old, and older under load.
  val route: Route = mapResponse(_.addHeader(Date(DateTime.now)))(routes)

  private def report: Route =
    onSuccess(reports.ask(Reports.Make)) {
      case Right(page)   => complete(HttpEntity(ContentTypes.`text/html(UTF-8)`, page))
      case Left(problem) => refuse(problem)
    }
}

object ReportRoutes {
  private val Healthy =
    HttpEntity(ContentTypes.`application/json`, ByteString("""{"status":"ok"}"""))

  private def refuse(problem: Problem): Route = complete(problem.response)
}
