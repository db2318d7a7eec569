package org.samewire.randoms

import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._

final case class Memory(rss: Long)

/** What the process says of itself. */
final case class Info(
    arguments: Seq[String],
    platform: String,
    runtime: String,
    pid: Long,
    cpus: Int,
    memory: Memory
)

object Info {
  def now(): Info = {
    val process = ProcessHandle.current
    Info(
      process.info.arguments.toScala.fold(Seq.empty[String])(_.toSeq),
      "linux",
      s"Java ${Runtime.version}",
      process.pid,
      Runtime.getRuntime.availableProcessors,
      Memory(residentBytes)
    )
  }

  private def residentBytes: Long =
    Files
      .readAllLines(Path.of("/proc/self/status"))
      .asScala
      .collectFirst { case s"VmRSS:$size kB" => size.trim.toLong * 1024 }
      .getOrElse(0)
}
