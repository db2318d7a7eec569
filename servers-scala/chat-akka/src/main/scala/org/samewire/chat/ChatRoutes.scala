package org.samewire.chat

import akka.NotUsed
import akka.actor.typed.scaladsl.AskPattern._
import akka.actor.typed.{ActorRef, ActorSystem}
import akka.http.scaladsl.marshallers.sprayjson.SprayJsonSupport._
import akka.http.scaladsl.marshalling.sse.EventStreamMarshalling._
import akka.http.scaladsl.model.{HttpRequest, HttpResponse, StatusCodes}
import akka.http.scaladsl.model.headers.CacheDirectives.`no-cache`
import akka.http.scaladsl.model.headers.`Cache-Control`
import akka.http.scaladsl.server.Directives._
import akka.http.scaladsl.server.Route
import akka.stream.KillSwitches
import akka.stream.scaladsl.Flow
import akka.util.Timeout
import java.util.concurrent.TimeoutException
import scala.concurrent.duration._

final class ChatRoutes(room: ActorRef[Room.Command])(implicit system: ActorSystem[_]) {
  import JsonFormats._
  import Room._
  import system.executionContext

  /** The room never waits: it is late only if the processor is. */
  private implicit val askTimeout: Timeout = 10.seconds

  // The body is read first: Akka HTTP reads that of a rejected request, and would ask for it a second time.
  private val always = handleExceptions(Problem.exceptions) & RequestHead.unbroken &
    RequestBody.read & handleRejections(Problem.rejections)

  private val since =
    parameters("after".as[Long].withDefault(0L), "user".optional).as(Since.apply _)

  private val patience = parameter("wait".as[Int].withDefault(0)).as(Wait.apply _)

  // #region chat.long-poll
  /** The room answers when there is a message. It is polled when the time is over. */
  private def newsWithin(time: FiniteDuration, since: Since): Route =
    (withRequestTimeout(time + askTimeout.duration) & attribute(Departure.connection)) { client =>
      val news = room.askWithStatus[News] { listener =>
        client.waits(Some(listener))
        Await(since, listener)
      }(time, system.scheduler)
      news.onComplete(_ => client.waits(None))
      complete(news.recoverWith { case _: TimeoutException => room.ask[News](Poll(since, _)) })
    }
  // #endregion chat.long-poll

  // #region chat.events
  /** A browser that connects again sends the id of the last event that it has. */
  private val resumed = (since & optionalHeaderValueByName("Last-Event-ID")).tmap {
    case (since, lastId) =>
      since.copy(after = lastId.flatMap(_.toLongOption).filter(_ >= 0).getOrElse(since.after))
  }

  private val streams = KillSwitches.shared("streams")

  private val events: Route =
    path("events") {
      (get & resumed) { since =>
        onSuccess(EventStream(room, since)) { stream =>
          (respondWithHeader(`Cache-Control`(`no-cache`)) &
            mapResponseEntity(_.transformDataBytes(EventStream.comments))) {
            complete(stream.via(streams.flow))
          }
        }
      }
    }
  // #endregion chat.events

  /** Answers those who wait, and ends the streams. */
  def stop(): Unit = {
    room ! Close
    streams.shutdown()
  }

  // Made once: what is written within a directive is made anew for each request.
  private val service: Route =
    concat(
      path("messages") {
        concat(
          (get & since & patience) { (since, wait) =>
            if (wait.seconds == 0) complete(room.ask[News](Poll(since, _)))
            else newsWithin(wait.seconds.seconds, since)
          },
          (post & entity(as[NewMessage])) { message =>
            complete(StatusCodes.Created, room.ask[Posted](Post(message, _)))
          }
        )
      },
      events,
      path("presence")(get(complete(room.ask[Present](WhoIsHere)))),
      path("healthz")(get(complete(StatusCodes.OK))),
      Page.route
    )

  val route: Route = always(service)

  /** What happens to the requests of a connection. */
  val flow: Flow[HttpRequest, HttpResponse, NotUsed] =
    Departure.told.via(RequestHead.inTime).via(Route.toFlow(route))
}
