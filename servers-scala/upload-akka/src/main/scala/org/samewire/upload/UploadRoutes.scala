package org.samewire.upload

import akka.http.scaladsl.marshallers.sprayjson.SprayJsonSupport._
import akka.http.scaladsl.model.ContentTypes.{`application/octet-stream`, `text/html(UTF-8)`}
import akka.http.scaladsl.model.headers.{`Content-Disposition`, ContentDispositionTypes, RawHeader}
import akka.http.scaladsl.model.{HttpEntity, Multipart, StatusCodes}
import akka.http.scaladsl.server.Directives._
import akka.http.scaladsl.server.Route
import spray.json.DefaultJsonProtocol._
import spray.json.RootJsonFormat

final case class Uploaded(files: Seq[StoredFile])

final class UploadRoutes(store: UploadStore, settings: UploadSettings) {
  private implicit val storedFile: RootJsonFormat[StoredFile] = jsonFormat3(StoredFile.apply)
  private implicit val uploaded: RootJsonFormat[Uploaded] = jsonFormat1(Uploaded.apply)

  // Not getFromResource: a stop would cut an answer that is a stream.
  private val page =
    HttpEntity(`text/html(UTF-8)`, getClass.getResourceAsStream("/index.html").readAllBytes())

  private val limited = withSizeLimit(settings.maxRequestBytes)

  /** A browser saves the file and does not show it. */
  private val download = respondWithHeaders(
    `Content-Disposition`(ContentDispositionTypes.attachment),
    RawHeader("X-Content-Type-Options", "nosniff")
  )

  private val always = handleExceptions(Problem.exceptions) &
    handleRejections(Problem.rejections) & RequestHead.unbroken & RequestHead.parsed

  val route: Route =
    always {
      concat(
        pathSingleSlash(get(complete(page))),
        path("healthz")(get(complete(StatusCodes.OK))),
        path("uploads") {
          (post & limited & FormBody.read & entity(as[Multipart.FormData])) { (end, form) =>
            onSuccess(store.receive(form, end)) { files =>
              complete(StatusCodes.Created -> Uploaded(files))
            }
          }
        },
        path("uploads" / JavaUUID.map(_.toString)) { id =>
          concat(
            // #region upload.send-file
            (get & download) {
              getFromFile(store.file(id).toFile, `application/octet-stream`)
            },
            // #endregion upload.send-file
            delete {
              onSuccess(store.remove(id)) { found =>
                if (found) complete(StatusCodes.NoContent) else reject
              }
            }
          )
        }
      )
    }
}
