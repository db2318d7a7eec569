package org.samewire.todo

import org.apache.pekko.Done
import org.apache.pekko.actor.testkit.typed.scaladsl.ActorTestKit
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import org.apache.pekko.http.scaladsl.model.HttpMethods.PATCH
import org.apache.pekko.http.scaladsl.model.StatusCodes._
import org.apache.pekko.http.scaladsl.model._
import org.apache.pekko.http.scaladsl.model.headers.Location
import org.apache.pekko.http.scaladsl.server.Route
import org.apache.pekko.http.scaladsl.testkit.{RouteTestTimeout, ScalatestRouteTest}
import org.apache.pekko.pattern.StatusReply
import org.apache.pekko.stream.scaladsl.Source
import org.apache.pekko.util.ByteString
import org.scalatest.matchers.should.Matchers
import org.scalatest.wordspec.AnyWordSpec
import scala.concurrent.duration._
import spray.json._

class TodoRoutesTest extends AnyWordSpec with Matchers with ScalatestRouteTest {
  // The first request of a cold JVM takes its time.
  private implicit val patience: RouteTestTimeout = RouteTestTimeout(10.seconds)
  private val testKit = ActorTestKit()
  private val milk = Todo(1, "milk", completed = false)

  /** Knows one todo; id 2 needs a database that is away. */
  private val todos = testKit.spawn(Behaviors.receiveMessage[Todos.Command] { command =>
    command match {
      case Todos.ListAfter(after, limit, replyTo) =>
        replyTo ! StatusReply.success(Page(Seq(milk), Option.when(limit == 1)(after)))
      case Todos.Find(2, replyTo) =>
        replyTo ! StatusReply.error(new DatabaseAway(new RuntimeException("refused")))
      case Todos.Find(id, replyTo)  => replyTo ! StatusReply.success(Some(milk).filter(_.id == id))
      case Todos.Add(todo, replyTo) =>
        replyTo ! StatusReply.success(Todo(7, todo.title, todo.completed.getOrElse(false)))
      case Todos.Change(_, changes, replyTo) =>
        val title = changes.title.getOrElse(milk.title)
        replyTo ! StatusReply.success(
          Some(Todo(1, title, changes.completed.getOrElse(milk.completed)))
        )
      case Todos.Remove(id, replyTo) => replyTo ! StatusReply.success(id == milk.id)
      case Todos.Ping(replyTo)       => replyTo ! StatusReply.success(Done)
    }
    Behaviors.same
  })
  private val route: Route = new TodoRoutes(todos)(testKit.system).route

  override def afterAll(): Unit = {
    testKit.shutdownTestKit()
    super.afterAll()
  }

  private def json(method: HttpMethod, path: String, body: String): HttpRequest =
    HttpRequest(method, path, entity = HttpEntity(ContentTypes.`application/json`, body))

  private def answer(request: HttpRequest): (StatusCode, JsValue) =
    request ~> route ~> check(status -> responseAs[String].parseJson)

  private def refusal(request: HttpRequest): StatusCode = request ~> route ~> check {
    contentType.mediaType shouldBe MediaTypes.`application/problem+json`
    val problem = responseAs[String].parseJson.asJsObject.fields
    problem("status") shouldBe JsNumber(status.intValue)
    problem.keySet shouldBe Set("title", "status", "detail")
    status
  }

  "A list" should {
    "have a null at its end" in {
      answer(Get("/todos")) shouldBe OK ->
        """{"items":[{"id":1,"title":"milk","completed":false}],"next":null}""".parseJson
      answer(Get("/todos?limit=1&after=5"))._2.asJsObject.fields("next") shouldBe JsNumber(5)
    }

    "refuse what is no page" in {
      for (query <- Seq("limit=0", "limit=101", "limit=a", "limit=1.5", "after=-1", "after=1e3"))
        refusal(Get(s"/todos?$query")) shouldBe BadRequest
    }
  }

  "A todo" should {
    "be created, at its own path" in {
      json(HttpMethods.POST, "/todos", """{"title":" häuser 😀"}""") ~> route ~> check {
        status shouldBe Created
        header[Location].map(_.uri.toString) shouldBe Some("/todos/7")
        responseAs[String].parseJson shouldBe
          """{"id":7,"title":" häuser 😀","completed":false}""".parseJson
      }
    }

    "keep the members that are not given" in {
      answer(json(PATCH, "/todos/1", "{}")) shouldBe OK ->
        """{"id":1,"title":"milk","completed":false}""".parseJson
    }

    "be removed" in {
      Delete("/todos/1") ~> route ~> check(status shouldBe NoContent)
      refusal(Delete("/todos/3")) shouldBe NotFound
    }

    "not be found by what is no id" in {
      for (id <- Seq("0", "-1", "abc", "1.0", "99999999999999999999", "3"))
        refusal(Get(s"/todos/$id")) shouldBe NotFound
    }

    "be refused if it breaks a rule" in {
      val long = "a" * 201
      for {
        body <- Seq("", "{", "[]", "5", "{}", """{"title":5}""", """{"title":" "}""") ++
          Seq("a\\u0000", "\\ud800", long).map(title => s"""{"title":"$title"}""") ++
          Seq("""{"title":"a","completed":1}""", "[" * 10000)
      } withClue(body)(refusal(json(HttpMethods.POST, "/todos", body)) shouldBe BadRequest)
      refusal(json(HttpMethods.PUT, "/todos/1", """{"title":"a"}""")) shouldBe BadRequest
    }
  }

  "A body" should {
    "be JSON" in {
      refusal(Post("/todos", """{"title":"a"}""")) shouldBe UnsupportedMediaType
    }

    "be read whole, however it comes" in {
      val bytes = Source(ByteString("""{"title":"eggs"}""").grouped(1).toSeq)
      val entity = HttpEntity.Chunked.fromData(ContentTypes.`application/json`, bytes)
      answer(HttpRequest(PATCH, "/todos/1", entity = entity))._2.asJsObject.fields("title") shouldBe
        JsString("eggs")
    }

    "be refused if it is too large or breaks off" in {
      def patch(bytes: Source[ByteString, Any]) = {
        val entity = HttpEntity.Chunked.fromData(ContentTypes.`application/json`, bytes)
        refusal(HttpRequest(PATCH, "/todos/1", entity = entity.withSizeLimit(10)))
      }
      patch(Source.repeat(ByteString(" "))) shouldBe ContentTooLarge
      patch(Source.failed(new RuntimeException("reset by peer"))) shouldBe BadRequest
    }
  }

  "Without its database, the server" should {
    "answer 503" in {
      refusal(Get("/todos/2")) shouldBe ServiceUnavailable
    }
  }
}
