package org.samewire.todo

import akka.NotUsed
import akka.http.scaladsl.model.HttpRequest
import akka.stream.scaladsl.Flow
import java.util.concurrent.TimeoutException
import scala.concurrent.duration._

/** Guards time: a connection ends if no head comes whole. Akka HTTP's own idle-timeout starts anew
  * with each byte.
  */
object RequestHead {
  val inTime: Flow[HttpRequest, HttpRequest, NotUsed] =
    Flow[HttpRequest].idleTimeout(60.seconds).onErrorComplete[TimeoutException]()
}
