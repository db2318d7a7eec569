package org.samewire.floor

import com.github.jasync.sql.db.ConnectionPoolConfiguration
import com.github.jasync.sql.db.postgresql.PostgreSQLConnectionBuilder
import com.sun.management.OperatingSystemMXBean
import io.netty.channel.nio.NioEventLoopGroup
import java.lang.management.ManagementFactory
import java.net.URI
import java.nio.file.{Files, Path}
import java.util.concurrent.ExecutorService
import java.util.concurrent.atomic.AtomicLong
import kotlinx.coroutines.ExecutorsKt
import scala.concurrent.ExecutionContext
import scala.jdk.CollectionConverters._
import scala.jdk.FutureConverters._
import scala.util.{Failure, Success}

/** The TODO service's lookup over and over, the pool as the server has it. */
object Query {
  private val Lookup = "select id, title, completed from todos where id = ?"

  private val keys = Files.readAllLines(Path.of(sys.env("KEYS"))).asScala.map(_.toLong).toIndexedSeq
  private val inFlight = sys.env("IN_FLIGHT").toInt
  private val queries = new AtomicLong
  private val eventLoop = new NioEventLoopGroup(1)
  private implicit val executionContext: ExecutionContext =
    ExecutionContext.fromExecutor(eventLoop)

  private val database = {
    val url = URI.create(sys.env("POSTGRES_URL"))
    PostgreSQLConnectionBuilder.createConnectionPool(
      new ConnectionPoolConfiguration(
        url.getHost,
        url.getPort,
        url.getPath.drop(1),
        url.getUserInfo.takeWhile(_ != ':'),
        null,
        10, // connections
        60000, // ms until an idle one is closed
        1024, // queries that may wait
        1000, // ms between tests of idle ones
        5000, // ms for a new one
        5000, // ms for a test
        5000L, // ms for a query
        eventLoop,
        eventLoop,
        ExecutorsKt.from(eventLoop: ExecutorService)
      )
    )
  }

  private def ask(key: Int): Unit =
    database
      .sendPreparedStatement(Lookup, java.util.List.of[Any](keys(key)))
      .asScala
      .onComplete {
        case Success(result) if result.getRows.size == 1 =>
          val row = result.getRows.get(0)
          (row.getLong(0), row.getString(1), row.getBoolean(2))
          queries.incrementAndGet()
          ask((key + 1) % keys.size)
        case Success(_) => fail(s"no row for ${keys(key)}")
        case Failure(e) => fail(e.toString)
      }

  private def fail(reason: String): Unit = {
    System.err.println(reason)
    sys.exit(1)
  }

  def main(args: Array[String]): Unit = {
    (0 until inFlight).foreach(number => ask(number * keys.size / inFlight))
    val process = ManagementFactory.getPlatformMXBean(classOf[OperatingSystemMXBean])
    Thread.sleep((1000 * sys.env("WARM_UP_S").toDouble).toLong)
    val (before, from) = (process.getProcessCpuTime, queries.get)
    Thread.sleep((1000 * sys.env("MEASURE_S").toDouble).toLong)
    val cpu = (process.getProcessCpuTime - before) / 1e9
    println(s"""{"queries":${queries.get - from},"cpu_s":$cpu}""")
    sys.exit(0)
  }
}
