package org.samewire.upload

import java.nio.file.{Files, Path}
import scala.util.Try

/** What the environment asks for. */
final case class Configuration(
    host: String,
    port: Int,
    directory: Path,
    maxFileBytes: Long,
    maxRequestBytes: Long
)

object Configuration {
  // #region server.configure
  /** The configuration, or a line that says what is wrong. */
  def from(environment: Map[String, String]): Either[String, Configuration] =
    for {
      port <- environment
        .get("PORT")
        .filter(_.matches("[0-9]{1,5}"))
        .map(_.toInt)
        .filter(port => port >= 1 && port <= 65535)
        .toRight("PORT must be an integer from 1 to 65535")
      host <- Right(environment.getOrElse("HOST", "127.0.0.1"))
        .filterOrElse(!_.isBlank, "HOST must be an address of this machine")
      directory <- environment
        .get("UPLOAD_DIR")
        .flatMap(path => Try(Path.of(path)).toOption)
        .filter(path => path.isAbsolute && Files.isDirectory(path) && Files.isWritable(path))
        .toRight("UPLOAD_DIR must be the absolute path of a folder that can be written to")
      maxFileBytes <- bytes(environment, "MAX_FILE_BYTES", 209715200)
      maxRequestBytes <- bytes(environment, "MAX_REQUEST_BYTES", 241172480)
    } yield Configuration(host, port, directory, maxFileBytes, maxRequestBytes)

  private def bytes(
      environment: Map[String, String],
      name: String,
      default: Long
  ): Either[String, Long] =
    environment
      .get(name)
      .fold(Option(default)) { digits =>
        Option.when(digits.matches("[1-9][0-9]*"))(digits).flatMap(_.toLongOption)
      }
      .toRight(s"$name must be a positive integer")
  // #endregion server.configure
}
