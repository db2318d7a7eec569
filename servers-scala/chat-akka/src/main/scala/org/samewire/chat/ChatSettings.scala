package org.samewire.chat

import com.typesafe.config.{Config, ConfigException}

final case class ChatSettings(host: String, port: Int)

object ChatSettings {

  // #region server.configure
  /** Throws ConfigException, which names what is wrong. */
  def apply(config: Config): ChatSettings = {
    val port = config.getString("chat.port")
    ChatSettings(
      config.getString("chat.host"),
      port.toIntOption
        .filter(number => number > 0 && number < 65536)
        .getOrElse(throw new ConfigException.BadValue("PORT", s"$port is no port"))
    )
  }
  // #endregion server.configure
}
