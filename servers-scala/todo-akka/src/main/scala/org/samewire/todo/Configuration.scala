package org.samewire.todo

import java.net.URI
import scala.util.Try

/** What the environment asks for. */
final case class Configuration(host: String, port: Int, database: Configuration.Database)

object Configuration {
  final case class Database(
      host: String,
      port: Int,
      name: String,
      user: String,
      password: Option[String]
  )

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
      // The message leaves the value out: it may hold a password.
      database <- environment
        .get("POSTGRES_URL")
        .flatMap(database)
        .toRight("POSTGRES_URL must look like postgres://user[:password]@host:port/database")
    } yield Configuration(host, port, database)

  private def database(url: String): Option[Database] =
    for {
      uri <- Try(new URI(url)).toOption
      if Set("postgres", "postgresql")(uri.getScheme)
      host <- Option(uri.getHost)
      user <- Option(uri.getUserInfo).map(_.split(":", 2)).filter(!_.head.isEmpty)
      name <- Option(uri.getPath).map(_.drop(1)).filter(!_.isEmpty)
      port = if (uri.getPort == -1) 5432 else uri.getPort
    } yield Database(host, port, name, user.head, user.lift(1))
  // #endregion server.configure
}
