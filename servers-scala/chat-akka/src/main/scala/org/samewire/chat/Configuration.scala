package org.samewire.chat

/** What the environment asks for. */
final case class Configuration(host: String, port: Int)

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
    } yield Configuration(host, port)
  // #endregion server.configure
}
