package org.samewire.upload

import com.typesafe.config.{ConfigException, ConfigFactory}
import java.nio.file.Path
import org.scalatest.matchers.should.Matchers
import org.scalatest.wordspec.AnyWordSpec

class UploadSettingsTest extends AnyWordSpec with Matchers {
  private def settings(changed: String): UploadSettings =
    UploadSettings(ConfigFactory.parseString(changed).withFallback(ConfigFactory.load()))

  "Settings" should {
    "have defaults" in {
      settings("") shouldBe
        UploadSettings("127.0.0.1", 8080, Path.of("/tmp"), 209715200, 241172480)
    }

    "name what cannot be used" in {
      for {
        (path, name, values) <- Seq(
          ("port", "PORT", Seq("", "0", "65536", "80.5")),
          ("directory", "UPLOAD_DIR", Seq("", "tmp", "/nowhere/at/all", "/etc/passwd")),
          ("max-file-bytes", "MAX_FILE_BYTES", Seq("", "0", "12x")),
          ("max-request-bytes", "MAX_REQUEST_BYTES", Seq("-1", "1e3"))
        )
        value <- values
      } (the[ConfigException] thrownBy settings(s"""upload.$path = "$value" """)).getMessage should
        include(name)
    }
  }
}
