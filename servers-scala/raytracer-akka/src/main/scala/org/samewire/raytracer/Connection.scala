package org.samewire.raytracer

import akka.http.scaladsl.model.{AttributeKey, HttpRequest, HttpResponse, StatusCodes, headers}
import akka.http.scaladsl.server.Directive0
import akka.http.scaladsl.server.Directives._
import akka.stream.OverflowStrategy
import akka.stream.scaladsl.Flow
import akka.{Done, NotUsed}
import java.util.concurrent.TimeoutException
import scala.concurrent.duration._
import scala.concurrent.{Future, Promise}

/** Guards processor and time. A route is told nothing of its connection, and Akka HTTP's own
  * idle-timeout starts anew with each byte.
  */
object Connection {

  /** Completed when the client closes its connection, or its half of it. */
  val ClientLeft: AttributeKey[Future[Done]] = AttributeKey("client-left")

  def flow(answer: HttpRequest => Future[HttpResponse]): Flow[HttpRequest, HttpResponse, Any] =
    Flow.fromMaterializer { (_, _) =>
      val left = Promise[Done]()
      Flow[HttpRequest]
        .watchTermination() { (_, end) =>
          left.completeWith(end)
          NotUsed
        }
        // A connection ends if no head comes whole.
        .initialTimeout(10.seconds)
        .idleTimeout(60.seconds)
        .onErrorComplete[TimeoutException]()
        // The end is seen only by a stage that asks for the next request.
        .buffer(1, OverflowStrategy.backpressure)
        .mapAsync(1)(request => answer(request.addAttribute(ClientLeft, left.future)))
    }

  /** Guards the framing: a byte from 0xC0 on takes the end of its line with it, and the next field
    * becomes a part of the value. That field may be Content-Length.
    */
  val unbroken: Directive0 = extractRequest.flatMap { request =>
    if (request.headers.exists(_.value.exists(char => char == '\r' || char == '\n')))
      complete(HttpResponse(StatusCodes.BadRequest, Seq(headers.Connection("close"))))
    else pass
  }
}
