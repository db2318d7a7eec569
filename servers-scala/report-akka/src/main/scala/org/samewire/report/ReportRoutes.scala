package org.samewire.report

import akka.actor.typed.scaladsl.AskPattern._
import akka.actor.typed.{ActorRef, ActorSystem}
import akka.http.scaladsl.model.headers.RawHeader
import akka.http.scaladsl.model.{ContentTypes, HttpEntity, StatusCodes}
import akka.http.scaladsl.server.Directives._
import akka.http.scaladsl.server.Route
import akka.util.Timeout

/** `timeout` is a last resort: a report keeps to its own time. */
final class ReportRoutes(reports: ActorRef[Reports.Make])(implicit
    system: ActorSystem[_],
    timeout: Timeout
) {

  /** The page shows titles that others have written. */
  private val guarded = respondWithHeaders(
    RawHeader("X-Content-Type-Options", "nosniff"),
    RawHeader(
      "Content-Security-Policy",
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'none'"
    )
  )

  private val always = handleExceptions(Problem.exceptions) &
    handleRejections(Problem.rejections) & RequestHead.unbroken

  val route: Route =
    always {
      concat(
        path("healthz")(get(complete(StatusCodes.OK))),
        path("report") {
          (get & guarded) {
            onSuccess(reports.askWithStatus(Reports.Make)) { report =>
              complete(HttpEntity(ContentTypes.`text/html(UTF-8)`, Page(report)))
            }
          }
        }
      )
    }
}
