package org.samewire.report

import com.typesafe.config.{Config, ConfigException}
import java.net.URI
import scala.concurrent.duration._
import scala.util.Try

final case class Upstream(host: String, port: Int)

final case class ReportSettings(
    host: String,
    port: Int,
    todo: Upstream,
    raytracer: Upstream,
    upstreamTimeout: FiniteDuration
)

object ReportSettings {

  // #region server.configure
  /** Throws ConfigException, which names what is wrong. */
  def apply(config: Config): ReportSettings = {
    def parse[T](path: String, expected: String)(parser: String => Option[T]): T =
      parser(config.getString(s"report.$path")).getOrElse(
        throw new ConfigException.BadValue(path, expected)
      )

    ReportSettings(
      config.getString("report.host"),
      parse("port", "PORT must be an integer from 1 to 65535")(_.toIntOption.filter(isPort)),
      parse("todo-url", "TODO_URL must be http://host:port")(upstream),
      parse("raytracer-url", "RAYTRACER_URL must be http://host:port")(upstream),
      parse("upstream-timeout-ms", "UPSTREAM_TIMEOUT_MS must be an integer from 1 on") {
        _.toIntOption.filter(_ > 0).map(_.millis)
      }
    )
  }
  // #endregion server.configure

  private def isPort(number: Int): Boolean = number > 0 && number < 65536

  private def upstream(url: String): Option[Upstream] =
    for {
      uri <- Try(new URI(url)).toOption
      host <- Option(uri.getHost)
      port = if (uri.getPort == -1) 80 else uri.getPort
      if uri.getScheme == "http" && isPort(port) && Set("", "/").contains(uri.getPath)
    } yield Upstream(host, port)
}
