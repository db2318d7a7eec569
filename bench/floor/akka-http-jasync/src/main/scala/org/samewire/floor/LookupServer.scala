package org.samewire.floor

import akka.actor.typed.ActorSystem
import akka.actor.typed.scaladsl.Behaviors
import akka.http.scaladsl.Http
import akka.http.scaladsl.model.{ContentTypes, HttpEntity, HttpResponse}
import akka.http.scaladsl.server.Directives._
import com.fasterxml.jackson.core.io.JsonStringEncoder
import com.github.jasync.sql.db.postgresql.PostgreSQLConnectionBuilder
import com.github.jasync.sql.db.{ConnectionPoolConfiguration, RowData}
import io.netty.channel.nio.NioEventLoopGroup
import java.net.URI
import java.util.concurrent.ExecutorService
import kotlinx.coroutines.ExecutorsKt
import scala.concurrent.ExecutionContext.parasitic
import scala.jdk.FutureConverters._

/** The TODO service's lookup, the pool as the server has it. */
object LookupServer {
  private val Lookup = "select id, title, completed from todos where id = ?"

  private val eventLoop = new NioEventLoopGroup(1)

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

  private def json(row: RowData): String = {
    val title = JsonStringEncoder.getInstance.quoteAsString(row.getString(1))
    s"""{"id":${row.getLong(0)},"title":"${new String(title)}","completed":${row.getBoolean(2)}}"""
  }

  def main(args: Array[String]): Unit = {
    implicit val system: ActorSystem[Nothing] = ActorSystem(Behaviors.empty, "floor")
    val route = get {
      path("todos" / LongNumber) { id =>
        complete {
          // Little is done with a row: it stays on the driver's thread.
          database
            .sendPreparedStatement(Lookup, java.util.List.of[Any](id))
            .asScala
            .map { result =>
              val todo = json(result.getRows.get(0))
              HttpResponse(entity = HttpEntity(ContentTypes.`application/json`, todo))
            }(parasitic)
        }
      }
    }
    Http().newServerAt(sys.env("HOST"), sys.env("PORT").toInt).bind(route)
    ()
  }
}
