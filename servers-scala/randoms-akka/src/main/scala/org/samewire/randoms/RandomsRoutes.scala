package org.samewire.randoms

import akka.actor.typed.scaladsl.AskPattern._
import akka.actor.typed.{ActorRef, ActorSystem}
import akka.http.scaladsl.coding.{Coders, Encoder}
import akka.http.scaladsl.marshallers.sprayjson.SprayJsonSupport._
import akka.http.scaladsl.model.StatusCodes
import akka.http.scaladsl.model.headers.RawHeader
import akka.http.scaladsl.server.Directives._
import akka.http.scaladsl.server.{Directive0, Route}
import akka.http.scaladsl.unmarshalling.Unmarshaller
import akka.util.Timeout
import scala.concurrent.duration._

final class RandomsRoutes(drawings: ActorRef[Drawings.Start], settings: RandomsSettings)(implicit
    system: ActorSystem[_]
) {
  import JsonFormats._

  /** A last resort: Drawings answers earlier. */
  private implicit val askTimeout: Timeout = 55.seconds

  // By default an empty parameter counts as none, and none is a hundred million draws.
  private val number = Unmarshaller.strict[String, Int](_.toInt)

  private val draw = parameters(
    "count".as(number).withDefault(Draw.MaxCount),
    "seed".as[Long].optional
  ).as(Draw.apply _)

  // #region randoms.compress
  private val gzip = Coders.Gzip(message =>
    Encoder.DefaultFilter(message) &&
      message.entity.contentLengthOption.exists(_ >= settings.compressionMinBytes)
  )

  private val compressed: Directive0 =
    if (!settings.compression) pass
    else
      respondWithHeader(RawHeader("Vary", "Accept-Encoding")) &
        encodeResponseWith(Coders.NoCoding, gzip)
  // #endregion randoms.compress

  private val always = handleExceptions(Problem.exceptions) &
    handleRejections(Problem.rejections) & Connection.unbroken & Connection.parsed

  val route: Route =
    always {
      concat(
        path("healthz")(get(complete(StatusCodes.OK))),
        path("info")(get(complete(Info.now()))),
        // #region randoms.draw
        path("randoms") {
          (get & compressed & draw & attribute(Connection.ClientLeft)) { (draw, clientLeft) =>
            // A child of the actor draws, on the drawing dispatcher.
            onSuccess(drawings.askWithStatus[Result](Drawings.Start(draw, clientLeft, _)))(answer)
          }
        },
        path("randoms" / "sync") {
          // This thread of the default dispatcher draws, and serves nobody else in that time.
          (get & compressed & draw)(draw => answer(Result.of(draw)))
        }
        // #endregion randoms.draw
      )
    }

  private def answer(result: Result): Route = {
    settings.log(result)
    complete(result)
  }
}
