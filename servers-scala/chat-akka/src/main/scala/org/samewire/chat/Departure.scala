package org.samewire.chat

import akka.NotUsed
import akka.http.scaladsl.model.{AttributeKey, HttpRequest}
import akka.pattern.StatusReply
import akka.stream.scaladsl.Flow

/** Ends the request of a client that leaves while it waits: Akka HTTP cancels streams, and no
  * futures.
  */
object Departure {

  /** A client's connection. It has one request at a time. */
  final class Connection {
    @volatile private var waiting: Option[Room.Listener] = None
    @volatile private var hasEnded = false

    /** Who waits now. */
    def waits(listener: Option[Room.Listener]): Unit = {
      waiting = listener
      if (hasEnded) leave()
    }

    def end(): Unit = {
      hasEnded = true
      leave()
    }

    private def leave(): Unit = waiting.foreach(_ ! StatusReply.error("The client has left."))
  }

  val connection: AttributeKey[Connection] = AttributeKey("connection")

  val told: Flow[HttpRequest, HttpRequest, NotUsed] =
    Flow
      .fromMaterializer { (materializer, _) =>
        val ofRequests = new Connection
        Flow[HttpRequest]
          .map(_.addAttribute(connection, ofRequests))
          .watchTermination() { (_, end) =>
            end.onComplete(_ => ofRequests.end())(materializer.executionContext)
          }
      }
      .mapMaterializedValue(_ => NotUsed)
}
