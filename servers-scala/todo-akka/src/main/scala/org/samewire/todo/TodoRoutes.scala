package org.samewire.todo

import akka.actor.typed.scaladsl.AskPattern._
import akka.actor.typed.{ActorRef, ActorSystem}
import akka.http.scaladsl.model.headers.{Date, Location}
import akka.http.scaladsl.model._
import akka.http.scaladsl.server.Directives._
import akka.http.scaladsl.server._
import akka.util.{ByteString, Timeout}
import java.util.concurrent.TimeoutException
import scala.concurrent.duration._
import scala.concurrent.{ExecutionContext, Future}

/** The routes. */
final class TodoRoutes(todos: ActorRef[Todos.Command])(implicit system: ActorSystem[_]) {
  import TodoRoutes._

  /** For an answer of the database, waiting for a connection included. */
  private implicit val timeout: Timeout = 10.seconds
  private implicit val executionContext: ExecutionContext = system.executionContext

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
    case Todos.Away | _: TimeoutException => refuse(Problem.DatabaseAway)
    case _: IllegalUriException           => complete(HttpResponse(StatusCodes.BadRequest))
    case unforeseen                       =>
      system.log.error(unforeseen.toString)
      refuse(Problem.Unforeseen)
  }

  // Sealed once: what a directive encloses is evaluated for every request.
  private val routes: Route = Route.seal(
    WholeBody(MaxBody) { body =>
      concat(
        path("healthz")(get(answer(todos.askWithStatus(Todos.Ping))(_ => Healthy))),
        path("todos")(concat(get(list), post(create(body)))),
        path("todos" / Segment) { segment =>
          concat(
            get(withId(segment)(show)),
            put(update(segment, body, Set("title", "completed"))),
            patch(update(segment, body, Set.empty)),
            delete(withId(segment)(remove))
          )
        }
      )
    }
  )

  // Akka HTTP's own Date is up to a second old, and older under load.
  val route: Route = mapResponse(_.addHeader(Date(DateTime.now)))(routes)

  private def list: Route = extractUri { uri =>
    val query = uri.query()
    val limit = query.get("limit").fold(Option(DefaultLimit))(natural).filter(1L to 100L contains _)
    val after = query.get("after").fold(Option(0L))(natural)
    (limit, after) match {
      case (None, _)                  => refuse(Problem.InvalidLimit)
      case (_, None)                  => refuse(Problem.InvalidAfter)
      case (Some(limit), Some(after)) =>
        answer(todos.askWithStatus[Page](Todos.ListAfter(after, limit.toInt, _))) { page =>
          val items = page.items.map(json).mkString(",")
          json(
            StatusCodes.OK,
            s"""{"items":[$items],"next":${page.next.fold("null")(_.toString)}}"""
          )
        }
    }
  }

  private def show(id: Long): Route = one(todos.askWithStatus(Todos.Find(id, _)))

  private def create(body: Option[ByteString]): Route =
    todo(body, Set("title")) { wanted =>
      val completed = wanted.completed.getOrElse(false)
      answer(todos.askWithStatus[Todo](Todos.Add(wanted.title.get, completed, _))) { todo =>
        json(StatusCodes.Created, json(todo)).addHeader(Location(s"/todos/${todo.id}"))
      }
    }

  private def update(segment: String, body: Option[ByteString], required: Set[String]): Route =
    todo(body, required) { wanted =>
      withId(segment) { id =>
        one(todos.askWithStatus(Todos.Change(id, wanted.title, wanted.completed, _)))
      }
    }

  private def remove(id: Long): Route =
    answer(todos.askWithStatus[Boolean](Todos.Remove(id, _))) { removed =>
      if (removed) HttpResponse(StatusCodes.NoContent) else Problem.NoSuchTodo.response
    }

  private def one(found: Future[Option[Todo]]): Route =
    answer(found) {
      case Some(todo) => json(StatusCodes.OK, json(todo))
      case None       => Problem.NoSuchTodo.response
    }

  private def answer[A](found: Future[A])(response: A => HttpResponse): Route =
    complete(found.map(response))

  private def withId(segment: String)(route: Long => Route): Route =
    natural(segment).filter(_ > 0).fold(refuse(Problem.NoSuchTodo))(route)

  private def todo(body: Option[ByteString], required: Set[String])(
      route: TodoBody => Route
  ): Route =
    extractRequest { request =>
      if (!isJson(request)) refuse(Problem.NotJson)
      else
        body.toRight(Problem.BodyTooLarge).flatMap(TodoBody.read(_, required)).fold(refuse, route)
    }
}

object TodoRoutes {
  private val MaxBody = 64 * 1024
  private val DefaultLimit = 50L

  private val Healthy = json(StatusCodes.OK, """{"status":"ok"}""")

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

  private def json(todo: Todo): String =
    s"""{"id":${todo.id},"title":${Json.quote(todo.title)},"completed":${todo.completed}}"""

  private def json(status: StatusCode, body: String): HttpResponse =
    HttpResponse(status, entity = HttpEntity(ContentTypes.`application/json`, ByteString(body)))
}
