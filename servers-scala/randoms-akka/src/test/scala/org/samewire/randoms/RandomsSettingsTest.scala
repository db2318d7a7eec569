package org.samewire.randoms

import com.typesafe.config.{ConfigException, ConfigFactory}
import org.scalatest.matchers.should.Matchers
import org.scalatest.wordspec.AnyWordSpec

class RandomsSettingsTest extends AnyWordSpec with Matchers {
  private def settings(changed: String): RandomsSettings =
    RandomsSettings(ConfigFactory.parseString(changed).withFallback(ConfigFactory.load()))

  "Settings" should {
    "have defaults" in {
      val defaults = settings("")
      defaults.compression shouldBe true
      defaults.compressionMinBytes shouldBe 1024
    }

    "name what cannot be used" in {
      for {
        (path, name, values) <- Seq(
          ("port", "PORT", Seq("", "0", "65536", "80.5")),
          ("log", "LOG", Seq("", "ASYNC")),
          ("compression", "COMPRESSION", Seq("", "OFF")),
          ("compression-min-bytes", "COMPRESSION_MIN_BYTES", Seq("", "-1", "12x"))
        )
        value <- values
      } (the[ConfigException] thrownBy settings(s"""randoms.$path = "$value" """)).getMessage should
        include(name)
    }
  }
}
