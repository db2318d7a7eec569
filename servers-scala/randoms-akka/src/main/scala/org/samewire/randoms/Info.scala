package org.samewire.randoms

import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._

/** What the process says of itself. */
object Info {
  def json: String = {
    val process = ProcessHandle.current
    val arguments = process.info.arguments.orElse(Array.empty).map(quote).mkString(",")
    val runtime =
      s"${System.getProperty("java.runtime.name")} ${System.getProperty("java.version")}"
        .replace(" Runtime Environment", "")
    s"""{"arguments":[$arguments],"platform":"linux","runtime":${quote(runtime)},""" +
      s""""pid":${process.pid},"cpus":${Runtime.getRuntime.availableProcessors},""" +
      s""""memory":{"rss":$residentBytes}}"""
  }

  private def residentBytes: Long =
    Files
      .readAllLines(Path.of("/proc/self/status"))
      .asScala
      .collectFirst { case s"VmRSS:$size kB" => size.trim.toLong * 1024 }
      .getOrElse(0)

  private def quote(text: String): String = {
    val quoted = new StringBuilder(text.length + 16).append('"')
    text.foreach {
      case '"'          => quoted.append("\\\"")
      case '\\'         => quoted.append("\\\\")
      case '\b'         => quoted.append("\\b")
      case '\f'         => quoted.append("\\f")
      case '\n'         => quoted.append("\\n")
      case '\r'         => quoted.append("\\r")
      case '\t'         => quoted.append("\\t")
      case c if c < ' ' => quoted.append("\\u%04x".format(c.toInt))
      case c            => quoted.append(c)
    }
    quoted.append('"').toString
  }
}
