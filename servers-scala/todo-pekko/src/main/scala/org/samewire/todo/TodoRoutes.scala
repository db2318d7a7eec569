package org.samewire.todo

import org.apache.pekko.actor.typed.scaladsl.AskPattern._
import org.apache.pekko.actor.typed.{ActorRef, ActorSystem}
import org.apache.pekko.http.scaladsl.marshallers.sprayjson.SprayJsonSupport._
import org.apache.pekko.http.scaladsl.model.StatusCodes
import org.apache.pekko.http.scaladsl.model.headers.Location
import org.apache.pekko.http.scaladsl.server.Directives._
import org.apache.pekko.http.scaladsl.server.Route
import org.apache.pekko.util.Timeout
import scala.concurrent.Future
import scala.concurrent.duration._

final class TodoRoutes(todos: ActorRef[Todos.Command])(implicit system: ActorSystem[_]) {
  import JsonFormats._
  import Todos._

  /** A last resort: the breaker of Todos answers earlier. */
  private implicit val askTimeout: Timeout = 15.seconds

  private val MaxLimit = 100
  private val MaxId = 9007199254740991L

  // The body is read first: Pekko HTTP reads that of a rejected request, and would ask for it a second time.
  private val always = handleExceptions(Problem.exceptions) & RequestHead.unbroken &
    RequestBody.read & handleRejections(Problem.rejections)

  // Made once: what is written within a directive is made anew for each request.
  private val service: Route =
    concat(
      path("healthz") {
        get {
          onSuccess(todos.askWithStatus(Ping))(_ => complete(StatusCodes.OK))
        }
      },
      path("todos")(concat(list, create)),
      path("todos" / LongNumber) { id =>
        concat(
          get {
            orNotFound(todos.askWithStatus(Find(id, _)))
          },
          // #region todo.update
          put {
            entity(as[Content]) { content =>
              change(id, Changes(Some(content.title), Some(content.completed)))
            }
          },
          patch {
            entity(as[Changes])(change(id, _))
          },
          // #endregion todo.update
          delete {
            onSuccess(todos.askWithStatus[Boolean](Remove(id, _))) { found =>
              if (found) complete(StatusCodes.NoContent) else reject
            }
          }
        )
      }
    )

  val route: Route = always(service)

  // #region todo.list
  private def list: Route =
    (get & parameters("limit".as[Int].withDefault(50), "after".as[Long].withDefault(0L))) {
      (limit, after) =>
        validate(limit >= 1 && limit <= MaxLimit, s"limit must be from 1 to $MaxLimit") {
          validate(after >= 0 && after <= MaxId, s"after must be from 0 to $MaxId") {
            complete(todos.askWithStatus[Page](ListAfter(after, limit, _)))
          }
        }
    }
  // #endregion todo.list

  // #region todo.create
  private def create: Route =
    (post & entity(as[NewTodo])) { newTodo =>
      onSuccess(todos.askWithStatus[Todo](Add(newTodo, _))) { todo =>
        respondWithHeader(Location(s"/todos/${todo.id}"))(complete(StatusCodes.Created -> todo))
      }
    }
  // #endregion todo.create

  private def change(id: Long, changes: Changes): Route =
    orNotFound(todos.askWithStatus(Change(id, changes, _)))

  private def orNotFound(todo: Future[Option[Todo]]): Route = rejectEmptyResponse(complete(todo))
}
