package org.samewire.report

import akka.actor.typed.ActorSystem
import akka.actor.typed.scaladsl.adapter._
import akka.http.scaladsl.Http
import akka.http.scaladsl.model.StatusCodes._
import akka.http.scaladsl.model._
import akka.http.scaladsl.server.Directives.complete
import akka.http.scaladsl.server.Route
import akka.http.scaladsl.testkit.{RouteTestTimeout, ScalatestRouteTest}
import akka.util.ByteString
import org.scalatest.matchers.should.Matchers
import org.scalatest.wordspec.AnyWordSpec
import scala.concurrent.duration._
import scala.concurrent.{Await, Future}
import spray.json._

class ReportRoutesTest extends AnyWordSpec with Matchers with ScalatestRouteTest {
  private implicit val typed: ActorSystem[Nothing] = system.toTyped
  // The first request of a cold JVM takes its time.
  private implicit val patience: RouteTestTimeout = RouteTestTimeout(10.seconds)

  private val json = ContentTypes.`application/json`
  private val todos =
    "{\"items\":[{\"id\":7,\"title\":\"<b>&\uffff\",\"completed\":true}],\"next\":null}"
  private val picture = HttpEntity(MediaTypes.`image/png`, ByteString("PNG"))

  private def start(answer: => Future[HttpResponse]): Upstream = {
    val binding = Http().newServerAt("127.0.0.1", 0).bind(complete(answer))
    val address = Await.result(binding, 5.seconds).localAddress
    Upstream(address.getHostString, address.getPort)
  }

  private val raytracer = start(Future.successful(HttpResponse(entity = picture)))

  private def routeBefore(todo: Upstream, time: FiniteDuration = 9.seconds): Route = {
    val upstreams = new Upstreams(ReportSettings("a", 1, todo, raytracer, time))
    val reports = system.spawnAnonymous(Reports(upstreams))
    new ReportRoutes(reports)(typed, 10.seconds).route
  }

  private def refusal(route: Route): StatusCode = Get("/report") ~> route ~> check {
    contentType.mediaType shouldBe MediaTypes.`application/problem+json`
    val problem = responseAs[String].parseJson.asJsObject.fields
    problem("status") shouldBe JsNumber(status.intValue)
    problem.keySet shouldBe Set("title", "status", "detail")
    status
  }

  "A report" should {
    "be a page of todos and a picture, escaped" in {
      val route =
        routeBefore(start(Future.successful(HttpResponse(entity = HttpEntity(json, todos)))))
      Get("/report") ~> route ~> check {
        status shouldBe OK
        contentType shouldBe ContentTypes.`text/html(UTF-8)`
        val page = responseAs[String]
        page should startWith("<!DOCTYPE html>")
        page should include("<td>7</td><td>&lt;b&gt;&amp;\uffff</td><td>completed</td>")
        header("Content-Security-Policy").map(_.value) should not be empty
        header("X-Content-Type-Options").map(_.value) shouldBe Some("nosniff")
        page should include("""src="data:image/png;base64,UE5H"""")
      }
    }

    "be refused if an upstream is bad" in {
      for {
        answer <- Seq(
          HttpResponse(NotFound, entity = HttpEntity(json, todos)),
          HttpResponse(entity = HttpEntity(todos)),
          HttpResponse(entity = HttpEntity(json, "{}")),
          HttpResponse(entity = HttpEntity(json, todos.replace("7", "1.5"))),
          HttpResponse(entity = HttpEntity(json, todos + " " * 1024 * 1024))
        )
      } withClue(answer.toString.take(200)) {
        refusal(routeBefore(start(Future.successful(answer)))) shouldBe BadGateway
      }
      refusal(routeBefore(Upstream("127.0.0.1", 1))) shouldBe BadGateway
    }

    "be refused if an upstream is late" in {
      refusal(routeBefore(start(Future.never), 1.second)) shouldBe GatewayTimeout
    }
  }

  "A page" should {
    "lose nothing of a title" in {
      val todo = Todo(1, "\u0001\n<\u0002😀", completed = false)
      Page(Report(Seq(todo), "")).utf8String should include("<td>\u0001\n&lt;\u0002😀</td>")
    }

    "round half up, and divide by no zero" in {
      def percentage(completed: Int, of: Int): String = {
        val todos = (1 to of).map(n => Todo(n.toLong, "t", n <= completed))
        "<dd>(\\d+)%".r.findFirstMatchIn(Page(Report(todos, "")).utf8String).get.group(1)
      }
      percentage(0, 0) shouldBe "0"
      percentage(1, 8) shouldBe "13"
      percentage(2, 3) shouldBe "67"
    }
  }
}
