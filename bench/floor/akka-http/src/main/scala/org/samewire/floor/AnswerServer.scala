package org.samewire.floor

import akka.actor.typed.ActorSystem
import akka.actor.typed.scaladsl.Behaviors
import akka.http.scaladsl.Http
import akka.http.scaladsl.model.{ContentTypes, HttpEntity, StatusCodes}
import akka.http.scaladsl.server.Directives._
import akka.stream.scaladsl.FileIO
import java.nio.file.Path

/** A constant answer, and a body copied to a file. */
object AnswerServer {
  def main(args: Array[String]): Unit = {
    implicit val system: ActorSystem[Nothing] = ActorSystem(Behaviors.empty, "floor")
    import system.executionContext
    val copy = Path.of(sys.env.getOrElse("UPLOAD_DIR", "."), "copy")
    val answer = HttpEntity(ContentTypes.`application/json`, """{"status":"ok"}""")
    val routes = concat(
      get(complete(answer)),
      put {
        withoutSizeLimit {
          extractDataBytes { bytes =>
            complete(bytes.runWith(FileIO.toPath(copy)).map(_ => StatusCodes.NoContent))
          }
        }
      }
    )
    Http().newServerAt(sys.env("HOST"), sys.env("PORT").toInt).bind(routes)
    ()
  }
}
