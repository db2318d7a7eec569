package org.samewire.randoms

import akka.Done
import akka.actor.testkit.typed.scaladsl.ActorTestKit
import akka.http.scaladsl.coding.Coders
import akka.http.scaladsl.model.StatusCodes._
import akka.http.scaladsl.model._
import akka.http.scaladsl.model.headers.{HttpEncodings, RawHeader, `Content-Encoding`}
import akka.http.scaladsl.server.Route
import akka.http.scaladsl.testkit.{RouteTestTimeout, ScalatestRouteTest}
import akka.pattern.StatusReply
import com.typesafe.config.ConfigFactory
import org.scalatest.matchers.should.Matchers
import org.scalatest.wordspec.AnyWordSpec
import scala.concurrent.duration._
import scala.concurrent.{Await, Future}
import spray.json._

class RandomsRoutesTest extends AnyWordSpec with Matchers with ScalatestRouteTest {
  // The first request of a cold JVM takes its time.
  private implicit val patience: RouteTestTimeout = RouteTestTimeout(10.seconds)
  private val config = ConfigFactory.load()
  private val testKit = ActorTestKit(config)
  private val drawings = testKit.spawn(Drawings())
  private val settings = RandomsSettings(config)

  private def routeOf(settings: RandomsSettings): Route =
    new RandomsRoutes(drawings, settings)(testKit.system).route
  private val route = routeOf(settings)

  override def afterAll(): Unit = {
    testKit.shutdownTestKit()
    super.afterAll()
  }

  private val stays = Future.never

  private def get(path: String, clientLeft: Future[Done] = stays): HttpRequest =
    Get(path).addAttribute(Connection.ClientLeft, clientLeft)

  private def refusal(request: HttpRequest): StatusCode = request ~> route ~> check {
    contentType.mediaType shouldBe MediaTypes.`application/problem+json`
    val problem = responseAs[String].parseJson.asJsObject.fields
    problem("status") shouldBe JsNumber(status.intValue)
    problem.keySet shouldBe Set("title", "status", "detail")
    status
  }

  "Draws" should {
    "be the same on both routes" in {
      for (path <- Seq("/randoms", "/randoms/sync"))
        get(s"$path?count=5&seed=1") ~> route ~> check {
          responseAs[String].parseJson shouldBe
            """{"count":5,"counts":{"234":1,"370":1,"462":1,"690":1,"696":1}}""".parseJson
        }
    }

    "have another seed each time, if none is given" in {
      Seq.fill(3)(Result.of(Draw(1000, None)).counts).distinct.size shouldBe 3
      Result.of(Draw(10, Some(4294967295L))).counts.values.sum shouldBe 10
    }

    "be refused if a parameter breaks a rule" in {
      for {
        path <- Seq("/randoms", "/randoms/sync")
        query <- Seq("count=-1", "count=100000001", "count=a", "count=1.5", "count=", "seed=-1") ++
          Seq("count=1&seed=0", "count=1&seed=4294967296", "count=1&seed=a")
      } withClue(query)(refusal(get(s"$path?$query")) shouldBe BadRequest)
    }

    "not be made for a client that has left" in {
      refusal(get("/randoms?count=1", Future.successful(Done))) shouldBe ServiceUnavailable
    }

    "be refused if too many wait" in {
      val probe = testKit.createTestProbe[StatusReply[Result]]()
      for (_ <- 1 to 600) drawings ! Drawings.Start(Draw(200000, Some(1)), stays, probe.ref)
      val answers = probe.receiveMessages(600, 30.seconds)
      answers.count(_.isSuccess) should be >= 256
      val refused = answers.filter(_.isError).map(_.getError)
      refused should not be empty
      all(refused) shouldBe a[NotDrawn]
    }
  }

  "A result" should {
    val gzip = RawHeader("Accept-Encoding", "gzip")

    "be coded from a size on, if the client accepts it" in {
      get("/randoms?count=2000&seed=1") ~> gzip ~> route ~> check {
        header[`Content-Encoding`] shouldBe Some(`Content-Encoding`(HttpEncodings.gzip))
        header("Vary").map(_.value) shouldBe Some("Accept-Encoding")
        val decoded = Coders.Gzip.decodeMessage(response).entity.toStrict(3.seconds)
        Await.result(decoded, 3.seconds).data.utf8String.parseJson shouldBe a[JsObject]
      }
      for (request <- Seq(get("/randoms?count=2000&seed=1"), get("/randoms?count=5") ~> gzip))
        request ~> route ~> check(header[`Content-Encoding`] shouldBe None)
    }

    "never be coded if compression is off" in {
      get("/randoms?count=2000&seed=1") ~> gzip ~> routeOf(
        settings.copy(compression = false)
      ) ~> check(header[`Content-Encoding`] shouldBe None)
    }

    "be logged" in {
      var logged = Seq.empty[Result]
      val logging = routeOf(settings.copy(log = result => logged :+= result))
      for (path <- Seq("/randoms/sync?count=1&seed=1", "/info", "/randoms?count=x"))
        get(path) ~> logging ~> check(())
      logged shouldBe Seq(Result(1, Map("370" -> 1)))
    }
  }

  "Info" should {
    "be of this process" in {
      Get("/info") ~> route ~> check {
        val info = responseAs[String].parseJson.asJsObject.fields
        info("pid") shouldBe JsNumber(ProcessHandle.current.pid)
        info.keySet shouldBe Set("arguments", "platform", "runtime", "pid", "cpus", "memory")
      }
    }
  }
}
