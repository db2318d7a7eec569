package org.samewire.floor

import akka.actor.typed.ActorSystem
import akka.actor.typed.scaladsl.Behaviors
import akka.http.scaladsl.Http
import akka.http.scaladsl.model.StatusCodes
import akka.http.scaladsl.server.Directives._
import akka.stream.scaladsl.FileIO
import java.nio.file.Path

/** Copies the body of a request to a file. */
object CopyServer {
  def main(args: Array[String]): Unit = {
    implicit val system: ActorSystem[Nothing] = ActorSystem(Behaviors.empty, "floor")
    import system.executionContext
    val copy = Path.of(sys.env("UPLOAD_DIR"), "copy")
    val route = post {
      withoutSizeLimit {
        extractDataBytes { bytes =>
          complete(bytes.runWith(FileIO.toPath(copy)).map(_ => StatusCodes.Created))
        }
      }
    }
    Http().newServerAt(sys.env("HOST"), sys.env("PORT").toInt).bind(route)
    ()
  }
}
