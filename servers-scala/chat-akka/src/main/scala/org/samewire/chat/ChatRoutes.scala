package org.samewire.chat

import akka.actor.typed.scaladsl.AskPattern._
import akka.actor.typed.{ActorRef, ActorSystem}
import akka.http.scaladsl.model._
import akka.http.scaladsl.model.headers.Date
import akka.http.scaladsl.server.Directives._
import akka.http.scaladsl.server._
import akka.util.{ByteString, Timeout}
import java.util.UUID
import scala.concurrent.duration._

/** The routes. */
final class ChatRoutes(room: ActorRef[Room.Command])(implicit system: ActorSystem[_]) {
  import ChatRoutes._

  /** A last resort: the room answers from memory. */
  private implicit val timeout: Timeout = 20.seconds

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
    WholeBody(MaxBody) { body =>
      concat(
        path("healthz")(get(complete(Healthy))),
        path("messages")(concat(get(list), post(create(body)))),
        path("presence")(get(presence)),
        path("assets" / Page.assets)(asset => get(complete(asset))),
        pathSingleSlash(get(complete(Page.index)))
      )
    }
  )

  // Akka HTTP's own Date is up to a second old, and older under load.
  val route: Route = mapResponse(_.addHeader(Date(DateTime.now)))(routes)

  private def list: Route = extractUri { uri =>
    val query = uri.query()
    val after = query.get("after").fold(Option(0L))(natural)
    val user = query.get("user")
    (after, user) match {
      case (None, _)                                    => refuse(Problem.InvalidAfter)
      case (_, Some(name)) if !MessageBody.isName(name) => refuse(Problem.InvalidUser)
      case (Some(after), _)                             =>
        user.foreach(room ! Room.Seen(_))
        onSuccess(room.ask(Room.ListAfter(after, _))) { news =>
          val messages = news.messages.map(message => s"{${members(message)}}").mkString(",")
          complete(json(news.room, s""""messages":[$messages],"last":${news.last}"""))
        }
    }
  }

  private def create(body: Option[ByteString]): Route = extractRequest { request =>
    if (!isJson(request)) refuse(Problem.NotJson)
    else
      body.toRight(Problem.BodyTooLarge).flatMap(MessageBody.read) match {
        case Left(problem) => refuse(problem)
        case Right(wanted) =>
          onSuccess(room.ask(Room.Post(wanted.user, wanted.text, _))) { posted =>
            complete(StatusCodes.Created -> json(posted.room, members(posted.message)))
          }
      }
  }

  private def presence: Route =
    onSuccess(room.ask(Room.WhoIsHere)) { present =>
      val users = present.users.toSeq.sorted(MessageBody.byCodePoint).map(Json.quote)
      complete(json(present.room, s""""users":[${users.mkString(",")}]"""))
    }
}

object ChatRoutes {
  private val MaxBody = 64 * 1024

  private val Healthy =
    HttpEntity(ContentTypes.`application/json`, ByteString("""{"status":"ok"}"""))

  private def refuse(problem: Problem): Route = complete(problem.response)

  /** A number in ASCII digits without sign, space or leading zero that fits into 64 bits. */
  private def natural(digits: String): Option[Long] =
    if (digits.matches("0|[1-9][0-9]{0,18}")) digits.toLongOption else None

  /** Whether the body is called JSON; parameters are ignored, even those that nobody can parse. */
  private def isJson(request: HttpRequest): Boolean = {
    def fields(name: String) = request.headers.filter(_.is(name)).map(_.value.trim)
    val asFound = fields("content-type")
    val types = if (asFound.nonEmpty) asFound else Seq(request.entity.contentType.value)
    types.forall(_.takeWhile(_ != ';').trim.equalsIgnoreCase("application/json")) &&
    fields("content-encoding").forall(_.equalsIgnoreCase("identity"))
  }

  private def members(message: Room.Message): String =
    s""""id":${message.id},"user":${Json.quote(message.user)},"text":${Json.quote(message.text)}"""

  private def json(room: UUID, members: String): HttpEntity.Strict =
    HttpEntity(ContentTypes.`application/json`, ByteString(s"""{"room":"$room",$members}"""))
}
