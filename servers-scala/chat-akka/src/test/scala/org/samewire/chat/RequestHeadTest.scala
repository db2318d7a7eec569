package org.samewire.chat

import akka.actor.testkit.typed.scaladsl.ActorTestKit
import akka.http.scaladsl.Http
import akka.http.scaladsl.testkit.ScalatestRouteTest
import com.typesafe.config.ConfigFactory
import java.net.Socket
import java.nio.charset.StandardCharsets.ISO_8859_1
import org.scalatest.matchers.should.Matchers
import org.scalatest.wordspec.AnyWordSpec
import scala.concurrent.Await
import scala.concurrent.duration._
import scala.util.Using

class RequestHeadTest extends AnyWordSpec with Matchers with ScalatestRouteTest {
  private val testKit = ActorTestKit(ConfigFactory.load())

  private lazy val port = Await
    .result(
      Http()
        .newServerAt("127.0.0.1", 0)
        .bindFlow(new ChatRoutes(testKit.spawn(Room()))(testKit.system).flow),
      10.seconds
    )
    .localAddress
    .getPort

  /** All that comes before the server closes the connection. The rest is sent after its first byte.
    */
  private def answer(bytes: String, rest: String = ""): String =
    Using.resource(new Socket("127.0.0.1", port)) { client =>
      client.setSoTimeout(10000)
      client.getOutputStream.write(bytes.getBytes(ISO_8859_1))
      val first = client.getInputStream.readNBytes(1)
      client.getOutputStream.write(rest.getBytes(ISO_8859_1))
      new String(first ++ client.getInputStream.readAllBytes(), ISO_8859_1)
    }

  override def afterAll(): Unit = {
    testKit.shutdownTestKit()
    super.afterAll()
  }

  "A body" should {
    "be asked for once" in {
      val post = "POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n"
      val next = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
      val answers = answer(s"${post}Expect: 100-continue\r\n\r\n", s"{}$next")
      "HTTP/1.1 (\\d+)".r.findAllMatchIn(answers).map(_.group(1)).toSeq shouldBe
        Seq("100", "404", "200")
    }
  }

  "A head" should {
    "be refused if a field has swallowed the next one" in {
      val next = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
      for (field <- Seq("X-A: \u00e0", "Cookie: a=b; n=\u00e0", "Expires: \u00e0"))
        withClue(field) {
          answer(
            s"GET /healthz HTTP/1.1\r\nHost: a\r\n$field\r\nContent-Length: ${next.length}\r\n\r\n$next"
          ) should fullyMatch regex "HTTP/1.1 400 (?s:(?!HTTP/).)*"
        }
    }

    "be refused without a body after HEAD" in {
      answer("HEAD /healthz HTTP/1.1\r\nHost: a\r\nX Y: 1\r\n\r\n") should
        fullyMatch regex "HTTP/1.1 400 (?s:.*)\r\n\r\n"
    }
  }
}
