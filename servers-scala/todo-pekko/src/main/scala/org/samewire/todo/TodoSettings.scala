package org.samewire.todo

import com.typesafe.config.{Config, ConfigException}
import java.net.URI
import scala.util.Try

final case class TodoSettings(host: String, port: Int, database: URI)

object TodoSettings {

  /** Throws ConfigException, which names what is wrong. */
  def apply(config: Config): TodoSettings = {
    // The value is left out: it may hold a password.
    def parse[T](path: String, expected: String)(parser: String => Option[T]): T =
      parser(config.getString(path)).getOrElse(
        throw new ConfigException.BadValue(config.getValue(path).origin, path, expected)
      )

    // #region server.configure
    TodoSettings(
      parse("todo.host", "HOST must not be empty")(Some(_).filter(_.nonEmpty)),
      parse("todo.port", "PORT must be an integer from 1 to 65535") {
        _.toIntOption.filter(isPort)
      },
      parse(
        "todo.postgres-url",
        "POSTGRES_URL must be postgres://user[:password]@host[:port]/database"
      )(database)
    )
    // #endregion server.configure
  }

  private def isPort(number: Int): Boolean = number > 0 && number < 65536

  private def database(url: String): Option[URI] =
    Try(new URI(url)).toOption.filter { uri =>
      Set("postgres", "postgresql").contains(uri.getScheme) && uri.getHost != null &&
      (uri.getPort == -1 || isPort(
        uri.getPort
      )) && uri.getPath.length > 1 && uri.getQuery == null &&
      Option(uri.getUserInfo).exists(_.matches("[^:].*"))
    }
}
