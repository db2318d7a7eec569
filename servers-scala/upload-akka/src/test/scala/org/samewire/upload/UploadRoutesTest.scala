package org.samewire.upload

import akka.actor.typed.ActorSystem
import akka.actor.typed.scaladsl.adapter._
import akka.http.scaladsl.model.Multipart.FormData
import akka.http.scaladsl.model._
import akka.http.scaladsl.model.headers.RawHeader
import akka.http.scaladsl.testkit.{RouteTestTimeout, ScalatestRouteTest}
import akka.stream.scaladsl.Source
import akka.util.ByteString
import java.nio.file.Files
import org.scalatest.matchers.should.Matchers
import org.scalatest.wordspec.AnyWordSpec
import scala.concurrent.duration._
import spray.json._

class UploadRoutesTest extends AnyWordSpec with Matchers with ScalatestRouteTest {
  private implicit val typed: ActorSystem[Nothing] = system.toTyped
  // The first request of a cold JVM takes its time.
  private implicit val patience: RouteTestTimeout = RouteTestTimeout(10.seconds)
  private val directory = Files.createTempDirectory("uploads")
  private val settings = UploadSettings("localhost", 8080, directory, 100, 10000)
  private val route = new UploadRoutes(new UploadStore(settings), settings).route

  private def part(field: String, name: String, content: String): FormData.BodyPart = {
    val entity = HttpEntity(ContentTypes.`application/octet-stream`, ByteString(content))
    FormData.BodyPart(field, entity, Map("filename" -> name))
  }

  private def upload(parts: FormData.BodyPart*): HttpRequest =
    Post("/uploads", FormData(Source(parts)))

  private def filesLeft: Int = directory.toFile.list.length

  "An upload" should {
    "come back as it was sent, until it is deleted" in {
      upload(part("files[]", "häuser/böll.txt", "hello")) ~> route ~> check {
        status shouldBe StatusCodes.Created
        val file = responseAs[String].parseJson.asJsObject
          .fields("files")
          .asInstanceOf[JsArray]
          .elements
          .head
          .asJsObject
          .fields
        file("name") shouldBe JsString("böll.txt")
        file("size") shouldBe JsNumber(5)
        val path = s"/uploads/${file("id").asInstanceOf[JsString].value}"
        Get(path) ~> route ~> check(responseAs[String] shouldBe "hello")
        Get(path) ~> RawHeader("Range", "bytes=1-2") ~> route ~> check {
          status shouldBe StatusCodes.PartialContent
          responseAs[String] shouldBe "el"
        }
        Delete(path) ~> route ~> check(status shouldBe StatusCodes.NoContent)
        Get(path) ~> route ~> check(status shouldBe StatusCodes.NotFound)
      }
    }

    "leave nothing behind if it is refused" in {
      val good = part("files[]", "a", "a")
      for {
        (parts, expected) <- Seq(
          Seq(good, good, good) -> StatusCodes.BadRequest,
          Seq(good, part("other", "a", "a")) -> StatusCodes.BadRequest,
          Seq(part("files[]", "", "")) -> StatusCodes.BadRequest,
          Seq(good, part("files[]", "a", "a" * 101)) -> StatusCodes.ContentTooLarge,
          Seq.fill(2)(part("files[]", "", "a" * 6000)) -> StatusCodes.ContentTooLarge,
          // Fields without a file.
          (Seq.fill(32)(part("a", "", "")) :+ good) -> StatusCodes.BadRequest
        )
      } upload(parts: _*) ~> route ~> check {
        status shouldBe expected
        contentType.mediaType shouldBe MediaTypes.`application/problem+json`
        filesLeft shouldBe 0
      }
    }

    "begin with its boundary" in {
      val form = MediaTypes.`multipart/form-data`.withBoundary("b").toContentType
      val file = ByteString(
        "--b\r\nContent-Disposition: form-data; name=\"files[]\"; filename=\"a\"\r\n\r\na\r\n--b--"
      )
      def upload(bytes: ByteString): Seq[StatusCode] =
        Seq(
          HttpEntity(form, bytes),
          HttpEntity(form, bytes.length.toLong, Source(bytes.grouped(1).toSeq)),
          HttpEntity.Chunked.fromData(form, Source(bytes.grouped(1).toSeq))
        ).map(entity => Post("/uploads", entity) ~> route ~> check(status))
      all(upload(file)) shouldBe StatusCodes.Created
      all(upload(ByteString("x\r\n") ++ file)) shouldBe StatusCodes.BadRequest
      all(upload(ByteString("--bx") ++ file)) shouldBe StatusCodes.BadRequest
      all(upload(ByteString("--b"))) shouldBe StatusCodes.BadRequest
    }

    "not come in tiny chunks without an end" in {
      val form = MediaTypes.`multipart/form-data`.withBoundary("b").toContentType
      val bytes =
        ByteString("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n" + "a" * 1000)
      val tiny = HttpEntity.Chunked.fromData(form, Source(bytes.grouped(1).toSeq))
      Post("/uploads", tiny) ~> route ~> check {
        status shouldBe StatusCodes.BadRequest
        responseAs[String] should include("too small")
      }
    }
  }
}
