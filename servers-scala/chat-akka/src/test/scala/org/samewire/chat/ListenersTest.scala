package org.samewire.chat

import akka.actor.testkit.typed.scaladsl.ActorTestKit
import akka.actor.typed.scaladsl.AskPattern._
import akka.actor.typed.scaladsl.Behaviors
import akka.actor.typed.{ActorRef, ActorSystem}
import akka.http.scaladsl.Http
import akka.http.scaladsl.model.StatusCodes.{OK, ServiceUnavailable}
import akka.http.scaladsl.model._
import akka.http.scaladsl.model.headers.RawHeader
import akka.http.scaladsl.model.sse.ServerSentEvent
import akka.http.scaladsl.unmarshalling.Unmarshal
import akka.http.scaladsl.unmarshalling.sse.EventStreamUnmarshalling
import akka.stream.testkit.TestSubscriber
import akka.stream.testkit.scaladsl.TestSink
import akka.util.Timeout
import com.typesafe.config.ConfigFactory
import java.net.Socket
import org.scalatest.BeforeAndAfterAll
import org.scalatest.concurrent.{Eventually, ScalaFutures}
import org.scalatest.matchers.should.Matchers
import org.scalatest.time.{Seconds, Span}
import org.scalatest.wordspec.AnyWordSpec
import scala.concurrent.Future
import scala.concurrent.duration._
import scala.util.Using

/** Over a connection: only there a client can leave. */
class ListenersTest
    extends AnyWordSpec
    with Matchers
    with BeforeAndAfterAll
    with Eventually
    with ScalaFutures {
  private val testKit = ActorTestKit(ConfigFactory.load())
  private implicit val system: ActorSystem[_] = testKit.system
  import system.executionContext
  private implicit val askTimeout: Timeout = 10.seconds
  implicit override val patienceConfig: PatienceConfig = PatienceConfig(Span(10, Seconds))

  override def afterAll(): Unit = testKit.shutdownTestKit()

  /** A server with a room of its own. */
  private class Server {
    val room: ActorRef[Room.Command] = testKit.spawn(Room())
    val routes = new ChatRoutes(room)
    val port: Int = Http()
      .newServerAt("127.0.0.1", 0)
      .bindFlow(routes.flow)
      .futureValue
      .localAddress
      .getPort

    def get(target: String, headers: HttpHeader*): Future[HttpResponse] =
      Http().singleRequest(HttpRequest(uri = s"http://127.0.0.1:$port$target", headers = headers))

    def listen(target: String, headers: HttpHeader*): TestSubscriber.Probe[ServerSentEvent] = {
      val response = get(target, headers: _*).futureValue
      EventStreamUnmarshalling
        .fromEventsStream(system.classicSystem)(response.entity)
        .futureValue
        .runWith(TestSink[ServerSentEvent]())
    }

    def post(text: String): Posted =
      room.ask[Posted](Room.Post(NewMessage("bia", text), _)).futureValue

    def here: Seq[String] = room.ask[Present](Room.WhoIsHere).futureValue.users
  }

  private def text(response: Future[HttpResponse]): String =
    response.flatMap(Unmarshal(_).to[String]).futureValue

  private def event(id: Long, text: String) =
    ServerSentEvent(s"""{"id":$id,"text":"$text","user":"bia"}""", id = Some(id.toString))

  "A request that waits" should {
    "be answered by a message" in {
      val server = new Server
      val answer = server.get("/messages?wait=20&user=ana")
      eventually(server.here shouldBe Seq("ana"))
      answer.isCompleted shouldBe false
      server.post("oi")
      text(answer) should endWith(""""messages":[{"id":1,"text":"oi","user":"bia"}],"last":1}""")
      eventually(server.here shouldBe empty)
    }

    "be answered when its time is over" in {
      text((new Server).get("/messages?wait=1&after=7")) should endWith(
        """"messages":[],"last":0}"""
      )
    }

    "be answered at once if there is a message" in {
      val server = new Server
      server.post("oi")
      text(server.get("/messages?wait=20")) should include("oi")
    }

    "be forgotten if its client leaves" in {
      val server = new Server
      Using.resource(new Socket("127.0.0.1", server.port)) { client =>
        client.getOutputStream
          .write("GET /messages?wait=20&user=ana HTTP/1.1\r\nHost: a\r\n\r\n".getBytes)
        eventually(server.here shouldBe Seq("ana"))
      }
      eventually(timeout(Span(4, Seconds)))(server.here shouldBe empty)
    }

    "be answered by a stop" in {
      val server = new Server
      val answer = server.get("/messages?wait=20&user=ana")
      eventually(server.here shouldBe Seq("ana"))
      server.routes.stop()
      text(answer) should endWith(""""messages":[],"last":0}""")
      text(server.get("/messages?wait=20")) should endWith(""""messages":[],"last":0}""")
    }
  }

  "A stream" should {
    "have what is there, and what comes" in {
      val server = new Server
      val room = server.post("one").room
      server.post("two")
      val events = server.listen("/events?user=eva&after=7", RawHeader("Last-Event-ID", "1"))
      events.requestNext() shouldBe ServerSentEvent(s"""{"last":2,"room":"$room"}""", "room")
      events.requestNext() shouldBe event(2, "two")
      server.post("three")
      events.requestNext() shouldBe event(3, "three")
      server.here shouldBe Seq("eva")
      events.cancel()
      eventually(timeout(Span(3, Seconds)))(server.here shouldBe empty)
    }

    "be ended by a stop" in {
      val server = new Server
      val events = server.listen("/events")
      events.requestNext()
      server.routes.stop()
      events.expectComplete()
    }

    "fail if its client leaves too much" in {
      val server = new Server
      val events = EventStream(server.room, Since(0, None)).futureValue
        .runWith(TestSink[ServerSentEvent]())
      events.requestNext()
      for (_ <- 1 to 500) server.post("🦜" * 500)
      events.expectNoMessage(100.millis)
      for (_ <- 1 to 600) server.post("🦜" * 500)
      events.expectError()
    }

    "be refused if there are too many" in {
      val server = new Server
      for (_ <- 1 to 256)
        server.room ! Room.Follow(Since(0, None), testKit.spawn(Behaviors.ignore))
      for (target <- Seq("/events", "/messages?wait=20")) {
        val response = server.get(target).futureValue
        response.status shouldBe ServiceUnavailable
        response.headers.map(_.lowercaseName) should contain("retry-after")
        response.discardEntityBytes()
      }
      server.get("/messages").futureValue.status shouldBe OK
    }
  }
}
