package org.samewire.chat

import com.typesafe.config.{ConfigException, ConfigFactory}
import org.scalatest.matchers.should.Matchers
import org.scalatest.wordspec.AnyWordSpec

class ChatSettingsTest extends AnyWordSpec with Matchers {
  private def settings(port: String): ChatSettings =
    ChatSettings(ConfigFactory.parseString(s"""chat { host = a, port = "$port" }"""))

  "Settings" should {
    "be a host and a port" in {
      settings("65535") shouldBe ChatSettings("a", 65535)
    }

    "name what cannot be used" in {
      for (port <- Seq("", "0", "65536", "80.5", "http"))
        (the[ConfigException] thrownBy settings(port)).getMessage should include("PORT")
    }
  }
}
