package org.samewire.chat

import akka.actor.typed.scaladsl.AskPattern._
import akka.actor.typed.{ActorRef, ActorSystem}
import akka.http.scaladsl.marshallers.sprayjson.SprayJsonSupport._
import akka.http.scaladsl.model.StatusCodes
import akka.http.scaladsl.server.Directives._
import akka.http.scaladsl.server.Route
import akka.util.Timeout
import scala.concurrent.duration._

final class ChatRoutes(room: ActorRef[Room.Command])(implicit system: ActorSystem[_]) {
  import JsonFormats._
  import Room._

  /** The room never waits: it is late only if the processor is. */
  private implicit val askTimeout: Timeout = 10.seconds

  // The body is read first: Akka HTTP reads that of a rejected request, and would ask for it a second time.
  private val always = handleExceptions(Problem.exceptions) & RequestHead.unbroken &
    RequestBody.read & handleRejections(Problem.rejections)

  private val since =
    parameters("after".as[Long].withDefault(0L), "user".optional).as(Since.apply _)
  // Without a default, none would be a 404. An empty one is refused.
  private val user = parameter("user".withDefault("")).as(User.apply _)

  // Made once: what is written within a directive is made anew for each request.
  private val service: Route =
    concat(
      path("messages") {
        concat(
          (get & since) { since =>
            complete(room.ask[News](Read(since.after, _)))
          },
          (post & entity(as[NewMessage])) { message =>
            complete(StatusCodes.Created, room.ask[Posted](Post(message, _)))
          }
        )
      },
      path("ws") {
        (get & user & extractWebSocketUpgrade) { (user, upgrade) =>
          complete(
            room
              .ask[ActorRef[Member.Command]](Admit(user, _))
              .map(member => upgrade.handleMessages(Connection.of(member)))(system.executionContext)
          )
        }
      },
      path("presence")(get(complete(room.ask[Present](WhoIsHere)))),
      path("healthz")(get(complete(StatusCodes.OK))),
      Page.route
    )

  val route: Route = always(service)
}
