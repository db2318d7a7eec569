package org.samewire.todo

import java.net.{ConnectException, InetAddress, ServerSocket, Socket}
import java.nio.charset.StandardCharsets.US_ASCII
import scala.annotation.tailrec
import scala.util.{Failure, Success, Try, Using}

/** What the build runs for the JVM's archive of loaded classes: a start, some requests and a stop,
  * without a database.
  */
object Training {
  private val Loopback = InetAddress.getLoopbackAddress

  private val requests = Seq(
    "GET /healthz HTTP/1.0\r\n\r\n",
    "GET /todos/1 HTTP/1.0\r\n\r\n",
    "GET /nothing HTTP/1.0\r\n\r\n",
    "POST /todos HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n" +
      "{\"title\":\"a\"}"
  )

  def main(args: Array[String]): Unit = {
    val port = Using.resource(new ServerSocket(0, 1, Loopback))(_.getLocalPort)
    val database = Configuration.Database("127.0.0.1", 9, "none", "nobody", None)
    TodoServer.start(Configuration("127.0.0.1", port, database))
    requests.foreach { request =>
      Using.resource(connect(port)) { client =>
        client.getOutputStream.write(request.getBytes(US_ASCII))
        client.getInputStream.readAllBytes()
      }
    }
    sys.exit(0)
  }

  /** Nobody says when the server listens. */
  @tailrec
  private def connect(port: Int): Socket = Try(new Socket(Loopback, port)) match {
    case Success(client)              => client
    case Failure(_: ConnectException) =>
      Thread.sleep(20)
      connect(port)
    case Failure(cause) => throw cause
  }
}
