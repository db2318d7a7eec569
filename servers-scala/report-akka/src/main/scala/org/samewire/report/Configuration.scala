package org.samewire.report

import java.net.URI
import scala.concurrent.duration._
import scala.util.Try

/** What the environment asks for. */
final case class Configuration(
    host: String,
    port: Int,
    todo: Configuration.Origin,
    raytracer: Configuration.Origin,
    upstreamTimeout: FiniteDuration
)

object Configuration {
  final case class Origin(host: String, port: Int)

  private val MaxTimeout = Int.MaxValue.toLong

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
      todo <- origin(environment, "TODO_URL")
      raytracer <- origin(environment, "RAYTRACER_URL")
      timeout <- Right(environment.getOrElse("UPSTREAM_TIMEOUT_MS", "60000"))
        .filterOrElse(
          _.matches("[1-9][0-9]{0,9}"),
          "UPSTREAM_TIMEOUT_MS must be a positive integer"
        )
        .map(_.toLong)
        .filterOrElse(_ <= MaxTimeout, s"UPSTREAM_TIMEOUT_MS must be at most $MaxTimeout")
    } yield Configuration(host, port, todo, raytracer, timeout.millis)

  private def origin(environment: Map[String, String], name: String): Either[String, Origin] = {
    val found = for {
      uri <- environment.get(name).flatMap(url => Try(new URI(url)).toOption)
      if "http".equalsIgnoreCase(uri.getScheme)
      host <- Option(uri.getHost)
      if uri.getRawUserInfo == null && uri.getRawQuery == null && uri.getRawFragment == null
      if uri.getRawPath.isEmpty || uri.getRawPath == "/"
      port = if (uri.getPort == -1) 80 else uri.getPort
      if port >= 1 && port <= 65535
    } yield Origin(host, port)
    found.toRight(s"$name must look like http://host:port")
  }
  // #endregion server.configure
}
