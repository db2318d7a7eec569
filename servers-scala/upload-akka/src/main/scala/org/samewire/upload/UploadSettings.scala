package org.samewire.upload

import com.typesafe.config.{Config, ConfigException}
import java.nio.file.{Files, Path}
import scala.util.Try

final case class UploadSettings(
    host: String,
    port: Int,
    directory: Path,
    maxFileBytes: Long,
    maxRequestBytes: Long
)

object UploadSettings {

  // #region server.configure
  /** Throws ConfigException, which names what is wrong. */
  def apply(config: Config): UploadSettings = {
    def parse[T](path: String, expected: String)(parser: String => Option[T]): T =
      parser(config.getString(s"upload.$path")).getOrElse(
        throw new ConfigException.BadValue(path, expected)
      )
    def bytes(path: String, name: String): Long =
      parse(path, s"$name must be an integer from 1 on")(_.toLongOption.filter(_ > 0))

    UploadSettings(
      config.getString("upload.host"),
      parse("port", "PORT must be an integer from 1 to 65535") {
        _.toIntOption.filter(number => number > 0 && number < 65536)
      },
      parse("directory", "UPLOAD_DIR must be the absolute path of a folder that can be written") {
        text => Try(Path.of(text)).toOption.filter(isUsable)
      },
      bytes("max-file-bytes", "MAX_FILE_BYTES"),
      bytes("max-request-bytes", "MAX_REQUEST_BYTES")
    )
  }
  // #endregion server.configure

  private def isUsable(folder: Path): Boolean =
    folder.isAbsolute && Files.isDirectory(folder) && Files.isWritable(folder)
}
