package org.samewire.labs

import org.apache.pekko.actor.typed.ActorSystem
import org.apache.pekko.actor.typed.scaladsl.AskPattern._
import org.apache.pekko.http.scaladsl.Http
import org.apache.pekko.http.scaladsl.server.Directives._
import org.apache.pekko.util.Timeout
import scala.concurrent.duration._

/** A counter behind HTTP: POST /counter adds one, GET /counter tells it. */
object CounterServer {
  def main(args: Array[String]): Unit = {
    implicit val system: ActorSystem[Counter.Message] = ActorSystem(Counter(0), "counter")
    implicit val timeout: Timeout = 60.seconds
    import system.executionContext
    val route = concat(
      path("counter") {
        concat(
          post { complete(system.ask[Long](Counter.Add(_)).map(_.toString)) },
          get { complete(system.ask[Long](Counter.Tell(_)).map(_.toString)) }
        )
      },
      path("healthz") { get { complete("healthy") } }
    )
    Http().newServerAt(sys.env("HOST"), sys.env("PORT").toInt).bind(route)
    ()
  }
}
