package org.samewire.raytracer

import akka.actor.typed.scaladsl.AskPattern._
import akka.actor.typed.{ActorRef, ActorSystem}
import akka.http.scaladsl.model.MediaTypes.`image/png`
import akka.http.scaladsl.model.{HttpEntity, StatusCodes}
import akka.http.scaladsl.server.Directives._
import akka.http.scaladsl.server.Route
import akka.util.{ByteString, Timeout}
import scala.concurrent.duration._

final class RaytracerRoutes(gallery: ActorRef[Gallery.Paint])(implicit system: ActorSystem[_]) {

  /** A last resort: the gallery answers earlier. */
  private implicit val askTimeout: Timeout = 55.seconds

  private val picture = parameters("width".as[Int], "height".as[Int], "depth".as[Int])
    .as(Picture.apply _)

  private val always = handleExceptions(Problem.exceptions) &
    handleRejections(Problem.rejections) & Connection.unbroken

  val route: Route =
    always {
      concat(
        path("healthz")(get(complete(StatusCodes.OK))),
        path("render") {
          (get & picture & attribute(Connection.ClientLeft)) { (picture, clientLeft) =>
            val painted =
              gallery.askWithStatus[ByteString](Gallery.Paint(picture, clientLeft, _))
            onSuccess(painted)(png => complete(HttpEntity(`image/png`, png)))
          }
        }
      )
    }
}
