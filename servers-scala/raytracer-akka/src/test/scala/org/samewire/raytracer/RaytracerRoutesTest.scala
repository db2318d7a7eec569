package org.samewire.raytracer

import akka.Done
import akka.actor.testkit.typed.scaladsl.ActorTestKit
import akka.http.scaladsl.model.StatusCodes._
import akka.http.scaladsl.model._
import akka.http.scaladsl.server.Route
import akka.http.scaladsl.testkit.{RouteTestTimeout, ScalatestRouteTest}
import akka.pattern.StatusReply
import akka.util.ByteString
import com.typesafe.config.ConfigFactory
import java.io.ByteArrayInputStream
import javax.imageio.ImageIO
import org.scalatest.matchers.should.Matchers
import org.scalatest.wordspec.AnyWordSpec
import scala.concurrent.Future
import scala.concurrent.duration._
import spray.json._

class RaytracerRoutesTest extends AnyWordSpec with Matchers with ScalatestRouteTest {
  // The first request of a cold JVM takes its time.
  private implicit val patience: RouteTestTimeout = RouteTestTimeout(10.seconds)
  private val testKit = ActorTestKit(ConfigFactory.load())
  private val gallery = testKit.spawn(Gallery())
  private val route: Route = new RaytracerRoutes(gallery)(testKit.system).route
  private val stays: Future[Done] = Future.never

  override def afterAll(): Unit = {
    testKit.shutdownTestKit()
    super.afterAll()
  }

  private def get(path: String, clientLeft: Future[Done] = stays): HttpRequest =
    Get(path).addAttribute(Connection.ClientLeft, clientLeft)

  private def refusal(request: HttpRequest): StatusCode = request ~> route ~> check {
    contentType.mediaType shouldBe MediaTypes.`application/problem+json`
    val problem = responseAs[String].parseJson.asJsObject.fields
    problem("status") shouldBe JsNumber(status.intValue)
    problem.keySet shouldBe Set("title", "status", "detail")
    status
  }

  "A picture" should {
    "have the pixels of the kernel" in {
      get("/render?width=4&height=3&depth=2") ~> route ~> check {
        contentType.mediaType shouldBe MediaTypes.`image/png`
        val image = ImageIO.read(new ByteArrayInputStream(responseAs[ByteString].toArray))
        val shown = image.getRaster.getPixels(0, 0, 4, 3, null: Array[Int])
        shown.map(_.toByte) shouldBe Raytracer.render(4, 3, 2)
      }
    }

    "be refused if it breaks a rule" in {
      for {
        query <- Seq("", "width=1&height=1", "width=0&height=1&depth=1") ++
          Seq("width=1921&height=1&depth=1", "width=1&height=1081&depth=1") ++
          Seq("width=1&height=1&depth=11", "width=1&height=1&depth=-1", "width=a&height=1&depth=1")
      } withClue(query)(refusal(get(s"/render?$query")) shouldBe BadRequest)
    }

    "not be painted for a client that has left" in {
      val left = Future.successful(Done)
      refusal(get("/render?width=1920&height=1080&depth=10", left)) shouldBe ServiceUnavailable
    }
  }

  "The gallery" should {
    "refuse the picture that is one too many, and go on" in {
      val probe = testKit.createTestProbe[StatusReply[ByteString]]()
      for (_ <- 1 to 600) gallery ! Gallery.Paint(Picture(200, 200, 10), stays, probe.ref)
      val answers = probe.receiveMessages(600, 30.seconds)
      answers.count(_.isSuccess) should be >= 256
      answers.filter(_.isError).map(_.getError) should not be empty
      all(answers.filter(_.isError).map(_.getError)) shouldBe a[NotPainted]
      get("/render?width=1&height=1&depth=0") ~> route ~> check(status shouldBe OK)
    }
  }

  "Other paths and methods" should {
    "be refused" in {
      refusal(get("/pictures")) shouldBe NotFound
      refusal(Post("/render")) shouldBe MethodNotAllowed
    }
  }
}
