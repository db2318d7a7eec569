package org.samewire.raytracer

import com.typesafe.config.{Config, ConfigException}

final case class RaytracerSettings(host: String, port: Int)

object RaytracerSettings {

  // #region server.configure
  /** Throws ConfigException, which names what is wrong. */
  def apply(config: Config): RaytracerSettings = {
    val port = config.getString("raytracer.port")
    RaytracerSettings(
      config.getString("raytracer.host"),
      port.toIntOption
        .filter(number => number > 0 && number < 65536)
        .getOrElse(throw new ConfigException.BadValue("PORT", s"$port is no port"))
    )
  }
  // #endregion server.configure
}
