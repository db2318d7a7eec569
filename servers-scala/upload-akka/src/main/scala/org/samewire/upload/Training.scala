package org.samewire.upload

import java.net.{ConnectException, InetAddress, ServerSocket, Socket}
import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.file.Files
import scala.annotation.tailrec
import scala.jdk.StreamConverters._
import scala.util.{Failure, Success, Try, Using}

/** What the build runs for the JVM's archive of loaded classes: a start, some requests and a stop,
  * with a folder of its own.
  */
object Training {
  private val Loopback = InetAddress.getLoopbackAddress

  private val requests = Seq(
    "GET /healthz HTTP/1.0\r\n\r\n",
    "GET / HTTP/1.0\r\n\r\n",
    "GET /nothing HTTP/1.0\r\n\r\n",
    "POST /uploads HTTP/1.0\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 75\r\n\r\n" +
      "--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a\"\r\n\r\na\r\n--b--"
  )

  def main(args: Array[String]): Unit = {
    val port = Using.resource(new ServerSocket(0, 1, Loopback))(_.getLocalPort)
    val folder = Files.createTempDirectory("training")
    UploadServer.start(Configuration("127.0.0.1", port, folder, 1024, 4096))
    requests.foreach { request =>
      Using.resource(connect(port)) { client =>
        client.getOutputStream.write(request.getBytes(US_ASCII))
        client.getInputStream.readAllBytes()
      }
    }
    Files.list(folder).toScala(Seq).foreach(Files.delete)
    Files.delete(folder)
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
