package org.samewire.randoms

import akka.http.scaladsl.model.headers.RawHeader
import akka.http.scaladsl.model.{HttpEntity, HttpRequest}
import akka.http.scaladsl.server.Directive0
import akka.http.scaladsl.server.Directives._
import akka.util.ByteString
import java.util.Locale
import java.util.zip.GZIPOutputStream
import scala.util.Using

/** Codes answers with gzip for clients that accept it.
  *
  * Not by way of Akka HTTP's encodeResponse: it codes by type and status, not by size, adds no
  * Vary, and its parser of Accept-Encoding takes neither `;Q=` nor an empty element. Nor by its
  * Coders: for each answer they set up a stream, which costs more than to code what is whole.
  */
object Compression {
  private val Vary = RawHeader("Vary", "Accept-Encoding")
  private val Gzip = RawHeader("Content-Encoding", "gzip")
  private val Weighted = """(?i)\s*([^\s;]+)\s*(?:;\s*q=([01](?:\.[0-9]{0,3})?)\s*)?""".r

  // #region randoms.compress
  /** For answers of at least `minBytes` bytes. */
  def apply(minBytes: Long): Directive0 =
    extractRequest.flatMap { request =>
      mapResponse { response =>
        response.entity match {
          case HttpEntity.Strict(contentType, data) if data.nonEmpty && data.length >= minBytes =>
            val coded =
              if (!acceptsGzip(request)) response
              else response.withEntity(HttpEntity(contentType, gzip(data))).addHeader(Gzip)
            coded.addHeader(Vary)
          case _ => response
        }
      }
    }

  private def gzip(data: ByteString): ByteString = {
    val coded = ByteString.newBuilder
    Using.resource(new GZIPOutputStream(coded.asOutputStream))(_.write(data.toArrayUnsafe()))
    coded.result()
  }
  // #endregion randoms.compress

  private def acceptsGzip(request: HttpRequest): Boolean = {
    val weights = request.headers
      .filter(_.is("accept-encoding"))
      .flatMap(_.value.split(','))
      .collect { case Weighted(coding, weight) =>
        coding.toLowerCase(Locale.ROOT) -> Option(weight).fold(1.0)(_.toDouble)
      }
      .toMap
    val gzip = weights.get("gzip").orElse(weights.get("*")).getOrElse(0.0)
    gzip > 0 && gzip >= weights.getOrElse("identity", 0.0)
  }
}
