package org.samewire.chat

import akka.actor.testkit.typed.scaladsl.ActorTestKit
import akka.http.scaladsl.model.StatusCodes._
import akka.http.scaladsl.model._
import akka.http.scaladsl.server.Route
import akka.http.scaladsl.testkit.{RouteTestTimeout, ScalatestRouteTest}
import com.typesafe.config.ConfigFactory
import org.scalatest.matchers.should.Matchers
import org.scalatest.wordspec.AnyWordSpec
import scala.concurrent.duration._
import spray.json.DefaultJsonProtocol._
import spray.json._

class ChatRoutesTest extends AnyWordSpec with Matchers with ScalatestRouteTest {
  // The first request of a cold JVM takes its time.
  private implicit val patience: RouteTestTimeout = RouteTestTimeout(10.seconds)
  private val testKit = ActorTestKit(ConfigFactory.load())

  /** With a room of its own. */
  private def newRoute(): Route = new ChatRoutes(testKit.spawn(Room()))(testKit.system).route

  override def afterAll(): Unit = {
    testKit.shutdownTestKit()
    super.afterAll()
  }

  private def saying(body: String): HttpRequest =
    Post("/messages", HttpEntity(ContentTypes.`application/json`, body))

  private def answer(route: Route, request: HttpRequest): Map[String, JsValue] =
    request ~> route ~> check(responseAs[String].parseJson.asJsObject.fields)

  private def refusal(request: HttpRequest): StatusCode = request ~> newRoute() ~> check {
    contentType.mediaType shouldBe MediaTypes.`application/problem+json`
    val problem = responseAs[String].parseJson.asJsObject.fields
    problem("status") shouldBe JsNumber(status.intValue)
    problem.keySet shouldBe Set("title", "status", "detail")
    status
  }

  "A message" should {
    "get the next id, and come to those who have not got it" in {
      val route = newRoute()
      for (id <- 1 to 3) saying(s"""{"user":"ana 😀","text":"<$id>"}""") ~> route ~> check {
        status shouldBe Created
        responseAs[String].parseJson.asJsObject.fields("id") shouldBe JsNumber(id)
      }
      val news = answer(route, Get("/messages?after=2"))
      news("messages") shouldBe """[{"id":3,"user":"ana 😀","text":"<3>"}]""".parseJson
      news("last") shouldBe JsNumber(3)
      answer(route, Get("/messages"))("messages").convertTo[Seq[JsObject]] should have size 3
      answer(route, Get("/messages?after=9"))("messages") shouldBe JsArray()
    }

    "be forgotten after a thousand others" in {
      val route = newRoute()
      for (_ <- 1 to 1002) saying("""{"user":"a","text":"b"}""") ~> route ~> check(())
      val kept = answer(route, Get("/messages"))("messages").convertTo[Seq[JsObject]]
      kept.map(_.fields("id")) shouldBe (3 to 1002).map(JsNumber(_))
    }

    "be refused if it breaks a rule" in {
      for {
        body <- Seq("", "{", "[]", "{}", """{"user":"a"}""", """{"user":5,"text":"a"}""") ++
          Seq("", "a" * 33, "a\\u0085", "\\ud800").map(user =>
            s"""{"user":"$user","text":"a"}"""
          ) ++
          Seq("", "a" * 501, "a\\n").map(text => s"""{"user":"a","text":"$text"}""")
      } withClue(body)(refusal(saying(body)) shouldBe BadRequest)
      refusal(Post("/messages", "a")) shouldBe UnsupportedMediaType
    }
  }

  "A question" should {
    "make nobody present" in {
      val route = newRoute()
      Get("/messages?user=ana") ~> route ~> check(status shouldBe OK)
      answer(route, Get("/presence"))("users") shouldBe JsArray()
    }

    "be refused if it breaks a rule" in {
      for (query <- Seq("after=-1", "after=99999999999999999999", "after=a", "user=", "user=%00"))
        refusal(Get(s"/messages?$query")) shouldBe BadRequest
    }
  }

  "The page" should {
    "have its files" in {
      Get("/") ~> newRoute() ~> check(contentType shouldBe ContentTypes.`text/html(UTF-8)`)
      Get("/assets/websocket.js") ~> newRoute() ~> check {
        contentType.mediaType.value shouldBe "text/javascript"
      }
      for (path <- Seq("/assets/nothing.js", "/assets/", "/assets/../application.conf"))
        refusal(Get(path)) shouldBe NotFound
    }
  }
}
