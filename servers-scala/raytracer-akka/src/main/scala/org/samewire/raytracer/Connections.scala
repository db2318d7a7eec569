package org.samewire.raytracer

import akka.{Done, NotUsed}
import akka.http.scaladsl.model.{AttributeKey, HttpRequest, HttpResponse}
import akka.stream.OverflowStrategy
import akka.stream.scaladsl.Flow
import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.util.Success

/** Tells every request when its connection ends. */
object Connections {
  val Gone: AttributeKey[Future[Done]] = AttributeKey("gone")

  /** The flow of requests and answers of a connection. A client that closes its half of the
    * connection counts as gone: there is no telling the two apart.
    */
  def handle(answer: HttpRequest => Future[HttpResponse])(implicit
      executionContext: ExecutionContext
  ): Flow[HttpRequest, HttpResponse, NotUsed] =
    Flow
      .fromMaterializer { (_, _) =>
        val gone = Promise[Done]()
        Flow[HttpRequest]
          .watchTermination() { (_, ended) =>
            ended.onComplete(_ => gone.tryComplete(Success(Done)))
          }
          // Asks for the next request while one is answered: only who reads sees the end.
          .buffer(1, OverflowStrategy.backpressure)
          .mapAsync(1)(request => answer(request.addAttribute(Gone, gone.future)))
      }
      .mapMaterializedValue(_ => NotUsed)
}
