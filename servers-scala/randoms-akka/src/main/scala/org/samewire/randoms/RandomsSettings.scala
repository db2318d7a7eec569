package org.samewire.randoms

import com.typesafe.config.{Config, ConfigException}

final case class RandomsSettings(
    host: String,
    port: Int,
    log: Result => Unit,
    compression: Boolean,
    compressionMinBytes: Long
)

object RandomsSettings {

  // #region server.configure
  /** Throws ConfigException, which names what is wrong. */
  def apply(config: Config): RandomsSettings = {
    def parse[T](path: String, expected: String)(parser: String => Option[T]): T =
      parser(config.getString(s"randoms.$path")).getOrElse(
        throw new ConfigException.BadValue(path, expected)
      )

    RandomsSettings(
      config.getString("randoms.host"),
      parse("port", "PORT must be an integer from 1 to 65535") {
        _.toIntOption.filter(number => number > 0 && number < 65536)
      },
      parse("log", "LOG must be none, sync or async")(ResultLog.writers.get),
      parse("compression", "COMPRESSION must be on or off")(Map("on" -> true, "off" -> false).get),
      parse("compression-min-bytes", "COMPRESSION_MIN_BYTES must be an integer from 0 on") {
        _.toLongOption.filter(_ >= 0)
      }
    )
  }
  // #endregion server.configure
}
