package org.samewire.chat

import akka.http.scaladsl.marshalling.{Marshaller, ToEntityMarshaller}
import akka.http.scaladsl.model.ContentTypes.`application/json`
import akka.http.scaladsl.model.HttpEntity
import akka.util.ByteString
import spray.json.{DefaultJsonProtocol, RootJsonFormat}

object JsonFormats extends DefaultJsonProtocol {
  private val Comma = ByteString(",")

  implicit val newMessageFormat: RootJsonFormat[NewMessage] = jsonFormat2(NewMessage.apply)
  implicit val messageFormat: RootJsonFormat[Message] =
    jsonFormat(Message.apply _, "id", "user", "text")
  implicit val postedFormat: RootJsonFormat[Posted] = jsonFormat4(Posted.apply)
  implicit val openedFormat: RootJsonFormat[Opened] = jsonFormat2(Opened.apply)
  implicit val presentFormat: RootJsonFormat[Present] = jsonFormat2(Present.apply)

  /** Joins what the messages have written: nothing is copied. */
  implicit val newsMarshaller: ToEntityMarshaller[News] =
    Marshaller.withFixedContentType(`application/json`) { news =>
      val bytes = ByteString.newBuilder
      bytes ++= ByteString(s"""{"room":"${news.room}","messages":[""")
      for ((message, index) <- news.messages.iterator.zipWithIndex) {
        if (index > 0) bytes ++= Comma
        bytes ++= message.json
      }
      bytes ++= ByteString(s"""],"last":${news.last}}""")
      HttpEntity(`application/json`, bytes.result())
    }
}
