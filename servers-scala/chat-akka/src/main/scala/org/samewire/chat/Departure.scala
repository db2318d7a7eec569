package org.samewire.chat

import akka.NotUsed
import akka.actor.typed.ActorRef
import akka.http.scaladsl.model.{AttributeKey, HttpRequest}
import akka.stream.scaladsl.Flow
import java.util.concurrent.atomic.AtomicReference

/** Tells the room when a client leaves whose request waits: Akka HTTP cancels streams, and no
  * futures.
  */
object Departure {

  /** Who waits on a connection. It has one request at a time. */
  type Waiting = AtomicReference[Option[Room.Listener]]

  val waiting: AttributeKey[Waiting] = AttributeKey("waiting")

  def told(room: ActorRef[Room.Command]): Flow[HttpRequest, HttpRequest, NotUsed] =
    Flow
      .fromMaterializer { (materializer, _) =>
        val ofConnection: Waiting = new AtomicReference(None)
        Flow[HttpRequest]
          .map(_.addAttribute(waiting, ofConnection))
          .watchTermination() { (_, end) =>
            end.onComplete(_ => ofConnection.get.foreach(room ! Room.Leave(_)))(
              materializer.executionContext
            )
          }
      }
      .mapMaterializedValue(_ => NotUsed)
}
