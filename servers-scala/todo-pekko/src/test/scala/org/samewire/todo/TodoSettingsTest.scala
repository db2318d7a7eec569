package org.samewire.todo

import com.typesafe.config.{ConfigException, ConfigFactory}
import java.net.URI
import org.scalatest.matchers.should.Matchers
import org.scalatest.wordspec.AnyWordSpec

class TodoSettingsTest extends AnyWordSpec with Matchers {
  private def settings(port: String, url: String): TodoSettings =
    TodoSettings(
      ConfigFactory
        .parseString(s"""todo { host = a, port = "$port", postgres-url = "$url" }""")
    )

  "Settings" should {
    "be a host, a port and a database" in {
      for (url <- Seq("postgres://me@[::1]/todos", "postgresql://me:a:%40@db:1/todos"))
        settings("65535", url) shouldBe TodoSettings("a", 65535, new URI(url))
    }

    "name what cannot be used, and never the password" in {
      val url = "postgres://me:secret@db:1/todos"
      for (port <- Seq("", "0", "65536", "80.5", "http"))
        the[ConfigException] thrownBy settings(port, url) should have message
          "String: 1: Invalid value at 'todo.port': PORT must be an integer from 1 to 65535"
      the[ConfigException] thrownBy TodoSettings(
        ConfigFactory.parseString(s"""todo { host = "", port = 1, postgres-url = "$url" }""")
      ) should have message "String: 1: Invalid value at 'todo.host': HOST must not be empty"
      for (bad <- Seq("mysql://me:secret@db/x", "postgres://me:secret@db:0/x", "me:secret@db/x"))
        (the[ConfigException] thrownBy settings("1", bad)).getMessage should
          (include("POSTGRES_URL") and not include "secret")
    }
  }
}
