package org.samewire.randoms

import akka.Done
import akka.http.scaladsl.server.Directive0
import akka.http.scaladsl.server.Directives._
import scala.concurrent.Promise
import scala.concurrent.duration._

/** Reads past the body of every request before the request is answered.
  *
  * Akka HTTP closes the connection after an answer that comes earlier, and a client that is still
  * sending sees a reset in the place of the answer.
  */
object IgnoredBody {

  /** How long a body may pause before it is not waited for. */
  private val Pause = 500.millis

  def apply(): Directive0 =
    extractRequestContext.flatMap { context =>
      import context.{executionContext, materializer, request}
      // A client with expectations waits for the word to send.
      if (request.entity.isStrict || request.headers.exists(_.is("expect"))) pass
      else {
        val enough = Promise[Done]()
        // The stream is never cancelled: that would cut the connection before the answer.
        request.entity.dataBytes
          .map(_ => true)
          .keepAlive(Pause, () => false)
          .runForeach(coming => if (!coming) enough.trySuccess(Done))
          .onComplete(_ => enough.trySuccess(Done))
        onSuccess(enough.future).tmap(_ => ())
      }
    }
}
