package org.samewire.upload

import akka.Done
import akka.actor.typed.{ActorSystem, DispatcherSelector}
import akka.http.scaladsl.model.Multipart.FormData.BodyPart
import akka.http.scaladsl.model.StatusCodes.{ContentTooLarge, RequestTimeout}
import akka.http.scaladsl.model.{
  EntityStreamException,
  EntityStreamSizeException,
  ErrorInfo,
  IllegalRequestException,
  Multipart
}
import akka.stream.IOOperationIncompleteException
import akka.stream.scaladsl.{Sink, StreamConverters}
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.nio.file.{Files, Path}
import java.util.UUID
import java.util.concurrent.TimeoutException
import scala.concurrent.{ExecutionContext, Future}
import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

final case class StoredFile(id: String, name: String, size: Long)

/** A file for each upload, named by its id. Files of a form that is still coming are in a folder of
  * the form's own. It is deleted, however the form ends.
  */
final class UploadStore(settings: UploadSettings)(implicit system: ActorSystem[_]) {
  import UploadStore._

  private implicit val blocking: ExecutionContext =
    system.dispatchers.lookup(DispatcherSelector.blocking())

  // What a killed server has left.
  Using.resource(Files.newDirectoryStream(settings.directory, s"$Draft*")) {
    _.asScala.foreach(delete)
  }

  def file(id: String): Path = settings.directory.resolve(id)

  /** Whether it was there. */
  def remove(id: String): Future[Boolean] = Future(Files.deleteIfExists(file(id)))

  // #region upload.stream-to-disk
  def receive(form: Multipart.FormData, end: Future[Done]): Future[Seq[StoredFile]] =
    Future(Files.createTempDirectory(settings.directory, Draft)).flatMap { draft =>
      form.parts
        .mapError(asInvalidForm)
        .zipWithIndex
        .mapConcat { case (part, index) =>
          if (index >= MaxParts) refuse(part, s"At most $MaxParts parts are taken.")
          // A file field that was left empty has an empty file name.
          val isFile = part.filename.exists(_.nonEmpty)
          if (!isFile) part.entity.discardBytes()
          Option.when(isFile)(part)
        }
        .zipWithIndex
        .map { case (part, index) => write(check(part, index), draft) }
        // What goes wrong here waits for the file before it: the draft is deleted after that.
        .recover { case broken => () => Future.failed(broken) }
        .mapAsync(1)(_())
        .runWith(Sink.seq)
        .transformWith(files => end.transform(_ => files))
        .map(publish(_, draft))
        .andThen { case _ => delete(draft) }
    }

  private def check(part: BodyPart, index: Long): BodyPart =
    if (part.name != Field) refuse(part, s"Files are expected in $Field.")
    else if (index >= MaxFiles) refuse(part, s"At most $MaxFiles files are taken.")
    else part

  /** The rest of a form comes only after the bytes of its parts. */
  private def refuse(part: BodyPart, why: String): Nothing = {
    part.entity.discardBytes()
    throw InvalidForm(why)
  }

  private def write(part: BodyPart, draft: Path): () => Future[StoredFile] = () => {
    val id = UUID.randomUUID.toString
    // Browsers send a quote as %22, and some clients a path.
    val name =
      part.filename.flatMap(_.split("[/\\\\]").lastOption).getOrElse("").replace("%22", "\"")
    part.entity
      .withSizeLimit(settings.maxFileBytes)
      .dataBytes
      .mapError(asInvalidForm)
      // Not FileIO.toPath: it takes a write that a full disk cuts short for a whole one.
      .runWith(StreamConverters.fromOutputStream(() => Files.newOutputStream(draft.resolve(id))))
      .map(written => StoredFile(id, name, written.count))
      .recoverWith { case stopped: IOOperationIncompleteException =>
        Future.failed(stopped.getCause)
      }
  }

  /** All files of the form, or none. */
  private def publish(files: Seq[StoredFile], draft: Path): Seq[StoredFile] = {
    if (files.isEmpty) throw InvalidForm(s"A file is expected in $Field.")
    try files.foreach(one => Files.move(draft.resolve(one.id), file(one.id), ATOMIC_MOVE))
    catch {
      case NonFatal(cause) =>
        files.foreach(one => Files.deleteIfExists(file(one.id)))
        throw cause
    }
    files
  }
  // #endregion upload.stream-to-disk

  private def delete(draft: Path): Unit = {
    Using.resource(Files.newDirectoryStream(draft))(_.asScala.foreach(Files.delete))
    Files.delete(draft)
  }
}

object UploadStore {
  private val Draft = ".part-"
  private val Field = "files[]"
  private val MaxFiles = 2
  private val MaxParts = 32

  /** What fails while it is read is the client's fault. */
  private val asInvalidForm: PartialFunction[Throwable, Throwable] = {
    case large: EntityStreamSizeException => large
    // This is how it says that a chunk is larger than max-chunk-size.
    case EntityStreamException(info) if info.summary.startsWith("HTTP chunk size exceeds") =>
      IllegalRequestException(ContentTooLarge, info)
    case late: TimeoutException =>
      IllegalRequestException(RequestTimeout, new ErrorInfo(late.getMessage))
    case broken => InvalidForm(String.valueOf(broken.getMessage))
  }
}
