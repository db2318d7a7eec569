package org.samewire.report

import akka.actor.typed.ActorSystem
import akka.http.scaladsl.Http
import akka.http.scaladsl.model.{HttpRequest, HttpResponse, StatusCodes}
import akka.http.scaladsl.settings.ClientConnectionSettings
import akka.stream.Materializer
import akka.stream.scaladsl.{Sink, Source}
import akka.util.ByteString
import java.io.IOException
import scala.concurrent.Future
import scala.concurrent.duration._

/** Another server. Each exchange has a connection of its own: so it can be cut at any moment, and
  * no idle connection can break just as it is used again.
  */
final class Upstream(origin: Configuration.Origin, timeLimit: FiniteDuration)(implicit
    system: ActorSystem[_]
) {
  private val connection = Http()
    .connectionTo(origin.host)
    .toPort(origin.port)
    .withClientConnectionSettings(
      ClientConnectionSettings(system)
        .withConnectingTimeout(timeLimit)
        // Who asks has the time limit.
        .withIdleTimeout(Duration.Inf)
    )
    .http()

  /** The body of a right answer, at most `limit` bytes of that media type; what goes wrong fails it
    * at once. The exchange lives as long as the materializer.
    */
  def get(target: String, mediaType: String, limit: Long)(implicit
      materializer: Materializer
  ): Future[ByteString] =
    Source
      .single(HttpRequest(uri = target))
      .via(connection)
      .mapAsync(1) { response =>
        if (response.status == StatusCodes.OK && isOf(response, mediaType))
          response.entity.withSizeLimit(limit).dataBytes.runFold(ByteString.empty)(_ ++ _)
        else
          Future.failed(new IOException(s"${response.status} ${response.entity.contentType}"))
      }
      .runWith(Sink.head)

  /** Parameters are ignored, even those that nobody can parse. */
  private def isOf(response: HttpResponse, mediaType: String): Boolean = {
    def fields(name: String) = response.headers.filter(_.is(name)).map(_.value.trim)
    val asFound = fields("content-type")
    val types = if (asFound.nonEmpty) asFound else Seq(response.entity.contentType.value)
    types.forall(_.takeWhile(_ != ';').trim.equalsIgnoreCase(mediaType)) &&
    fields("content-encoding").forall(_.equalsIgnoreCase("identity"))
  }
}
