package org.samewire.chat

import akka.actor.testkit.typed.scaladsl.ActorTestKit
import akka.http.scaladsl.model.ContentTypes.`application/json`
import akka.http.scaladsl.model.HttpEntity
import akka.http.scaladsl.model.StatusCodes.BadRequest
import akka.http.scaladsl.model.ws.{BinaryMessage, TextMessage}
import akka.http.scaladsl.server.Route
import akka.http.scaladsl.testkit.{RouteTestTimeout, ScalatestRouteTest, WSProbe}
import akka.stream.scaladsl.Source
import akka.util.ByteString
import com.typesafe.config.ConfigFactory
import org.scalatest.matchers.should.Matchers
import org.scalatest.wordspec.AnyWordSpec
import scala.concurrent.duration._
import spray.json._

class WebSocketTest extends AnyWordSpec with Matchers with ScalatestRouteTest {
  private implicit val patience: RouteTestTimeout = RouteTestTimeout(10.seconds)
  private val testKit = ActorTestKit(ConfigFactory.load())

  private def newRoute(): Route = new ChatRoutes(testKit.spawn(Room()))(testKit.system).route

  override def afterAll(): Unit = {
    testKit.shutdownTestKit()
    super.afterAll()
  }

  /** A client, and its first frame. */
  private def connect(route: Route, user: String): (WSProbe, Map[String, JsValue]) = {
    val client = WSProbe()
    WS(s"/ws?user=$user", client.flow) ~> route ~> check(isWebSocketUpgrade shouldBe true)
    (client, next(client))
  }

  private def join(route: Route, user: String): WSProbe = {
    val (client, first) = connect(route, user)
    first.keySet shouldBe Set("room", "last")
    client
  }

  private def next(client: WSProbe): Map[String, JsValue] =
    client.expectMessage().asTextMessage.getStrictText.parseJson.asJsObject.fields

  private def frame(json: String): Map[String, JsValue] = json.parseJson.asJsObject.fields

  "A member" should {
    "be told who comes, what is said, and who leaves" in {
      val route = newRoute()
      val ana = join(route, "ana")
      val bia = join(route, "bia")
      next(ana) shouldBe frame("""{"joined":"bia"}""")
      bia.sendMessage("""{"text":"oi 😀"}""")
      next(bia) shouldBe frame("""{"id":1}""")
      next(ana) shouldBe frame("""{"id":1,"user":"bia","text":"oi 😀"}""")
      val said = HttpEntity(`application/json`, """{"user":"bia","text":"over HTTP"}""")
      Post("/messages", said) ~> route ~> check(())
      for (member <- Seq(ana, bia))
        next(member) shouldBe frame("""{"id":2,"user":"bia","text":"over HTTP"}""")
      bia.sendCompletion()
      next(ana) shouldBe frame("""{"left":"bia"}""")
      bia.expectCompletion()
    }

    "have a name of its own" in {
      val route = newRoute()
      val ana = join(route, "ana")
      val (other, first) = connect(route, "ana")
      first shouldBe frame("""{"error":"Name already taken."}""")
      other.expectCompletion()
      ana.sendCompletion()
      ana.expectCompletion()
      join(route, "ana")
    }

    "be told what is wrong" in {
      val client = join(newRoute(), "ana")
      for (wrong <- Seq("", "{", "[]", "{}", """{"text":5}""", "{\"text\":\"\\ud800\"}")) {
        client.sendMessage(wrong)
        next(client).keySet shouldBe Set("error")
      }
      client.sendMessage("""{"pong":true}""")
      client.sendMessage("""{"text":"still here"}""")
      next(client) shouldBe frame("""{"id":1}""")
    }

    "send 50 frames in a second" in {
      val client = join(newRoute(), "ana")
      for (id <- 1 to 50) {
        client.sendMessage(s"""{"text":"$id"}""")
        next(client) shouldBe Map("id" -> JsNumber(id))
      }
      client.sendMessage("""{"text":"51"}""")
      client.expectCompletion()
    }

    "be pinged, and leave when it says nothing" in {
      val client = join(newRoute(), "ana")
      client.inProbe.within(20.seconds) {
        next(client) shouldBe Map("ping" -> JsTrue)
        client.expectCompletion()
      }
    }

    "send a message in parts, of 64 KiB at most" in {
      val route = newRoute()
      def parts(size: Int) =
        Source.fromIterator(() => ("""{"text":"oi"}""" + " " * (size - 13)).grouped(1000))
      val client = join(route, "ana")
      client.sendMessage(TextMessage(parts(65536)))
      next(client) shouldBe Map("id" -> JsNumber(1))
      client.sendMessage(TextMessage(parts(65537)))
      client.expectCompletion()
    }

    "not send bytes" in {
      val client = join(newRoute(), "ana")
      client.sendMessage(BinaryMessage(ByteString("""{"text":"oi"}""")))
      client.expectCompletion()
    }
  }

  "A handshake" should {
    "have a user, and be one" in {
      for (query <- Seq("", "?user=", "?user=%0A", "?user=" + "a" * 33))
        WS(s"/ws$query", WSProbe().flow) ~> newRoute() ~> check(status shouldBe BadRequest)
      Get("/ws?user=ana") ~> newRoute() ~> check(status shouldBe BadRequest)
    }
  }
}
