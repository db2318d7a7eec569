package org.samewire.upload

import akka.actor.typed.ActorSystem
import akka.actor.typed.scaladsl.adapter._
import akka.http.scaladsl.Http
import akka.http.scaladsl.server.Route
import akka.http.scaladsl.testkit.ScalatestRouteTest
import java.net.Socket
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.Files
import org.scalatest.matchers.should.Matchers
import org.scalatest.wordspec.AnyWordSpec
import scala.concurrent.Await
import scala.concurrent.duration._
import scala.util.Using

class RequestHeadTest extends AnyWordSpec with Matchers with ScalatestRouteTest {
  private implicit val typed: ActorSystem[Nothing] = system.toTyped
  private val settings =
    UploadSettings("localhost", 8080, Files.createTempDirectory("uploads"), 100, 1000)
  private val route = new UploadRoutes(new UploadStore(settings), settings).route

  private lazy val port = Await
    .result(
      Http()
        .newServerAt("127.0.0.1", 0)
        .bindFlow(RequestHead.inTime(Route.toFunction(route))),
      10.seconds
    )
    .localAddress
    .getPort

  /** All that comes before the server closes the connection. */
  private def answer(bytes: String): String =
    Using.resource(new Socket("127.0.0.1", port)) { client =>
      client.setSoTimeout(10000)
      client.getOutputStream.write(bytes.getBytes(ISO_8859_1))
      new String(client.getInputStream.readAllBytes(), ISO_8859_1)
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
