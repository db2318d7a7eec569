package org.samewire.chat

import java.net.{ConnectException, InetAddress, ServerSocket, Socket}
import java.nio.charset.StandardCharsets.US_ASCII
import scala.annotation.tailrec
import scala.util.{Failure, Success, Try, Using}

/** What the build runs for the JVM's archive of loaded classes: a start, some requests and a stop.
  */
object Training {
  private val Loopback = InetAddress.getLoopbackAddress

  private val requests = Seq(
    "GET /healthz HTTP/1.0\r\n\r\n",
    "GET / HTTP/1.0\r\n\r\n",
    "GET /messages?after=0&user=a HTTP/1.0\r\n\r\n",
    "GET /nothing HTTP/1.0\r\n\r\n",
    "POST /messages HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 23\r\n\r\n" +
      "{\"user\":\"a\",\"text\":\"b\"}"
  )

  def main(args: Array[String]): Unit = {
    val port = Using.resource(new ServerSocket(0, 1, Loopback))(_.getLocalPort)
    ChatServer.start(Configuration("127.0.0.1", port))
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
