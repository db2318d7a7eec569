package org.samewire.randoms

/** What the environment asks for. Answers are coded from `compressFrom` bytes on, or never. */
final case class Configuration(
    host: String,
    port: Int,
    compressFrom: Option[Long],
    log: ResultLog
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
      compress <- Map("on" -> true, "off" -> false)
        .get(environment.getOrElse("COMPRESSION", "on"))
        .toRight("COMPRESSION must be on or off")
      minBytes <- Option(environment.getOrElse("COMPRESSION_MIN_BYTES", "1024"))
        .filter(_.matches("[0-9]+"))
        .flatMap(_.toLongOption)
        .toRight("COMPRESSION_MIN_BYTES must be a non-negative integer")
      log <- ResultLog.byName
        .get(environment.getOrElse("LOG", "none"))
        .toRight("LOG must be none, sync or async")
    } yield Configuration(host, port, Option.when(compress)(minBytes), log)
  // #endregion server.configure
}
