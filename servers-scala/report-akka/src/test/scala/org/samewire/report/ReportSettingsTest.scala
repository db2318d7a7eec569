package org.samewire.report

import com.typesafe.config.{ConfigException, ConfigFactory}
import org.scalatest.matchers.should.Matchers
import org.scalatest.wordspec.AnyWordSpec
import scala.concurrent.duration._

class ReportSettingsTest extends AnyWordSpec with Matchers {
  private def settings(changed: String): ReportSettings =
    ReportSettings(ConfigFactory.parseString(changed).withFallback(ConfigFactory.load()))

  "Settings" should {
    "be read" in {
      val read = settings("""report.todo-url = "http://[::1]" """)
      read.todo shouldBe Upstream("[::1]", 80)
      read.raytracer shouldBe Upstream("127.0.0.1", 2)
      read.upstreamTimeout shouldBe 1.minute
    }

    "name what cannot be used" in {
      for {
        (path, name, values) <- Seq(
          ("port", "PORT", Seq("", "0", "65536", "80.5")),
          ("todo-url", "TODO_URL", Seq("", "nonsense", "ftp://a:1", "http://", "http://a:0")),
          ("raytracer-url", "RAYTRACER_URL", Seq("http://a/b", "http:// a")),
          ("upstream-timeout-ms", "UPSTREAM_TIMEOUT_MS", Seq("", "0", "-1", "12x"))
        )
        value <- values
      } (the[ConfigException] thrownBy settings(s"""report.$path = "$value" """)).getMessage should
        include(name)
    }
  }
}
