package org.samewire.chat

import akka.http.scaladsl.model.ws.TextMessage
import scala.util.{Success, Try}
import spray.json._

/** What goes over a WebSocket: JSON in text frames. One that is sent to many is made once. */
object Frame {
  val Ping: TextMessage = frame("ping" -> JsTrue)
  val NameTaken: TextMessage = frame("error" -> JsString("Name already taken."))
  val BadText: TextMessage =
    frame("error" -> JsString("text must be a string of 1 to 500 characters."))

  def entered(room: String, last: Long): TextMessage =
    frame("room" -> JsString(room), "last" -> JsNumber(last))
  def taken(id: Long): TextMessage = frame("id" -> JsNumber(id))
  def joined(user: String): TextMessage = frame("joined" -> JsString(user))
  def left(user: String): TextMessage = frame("left" -> JsString(user))
  def message(message: Message): TextMessage = TextMessage(message.json.utf8String)

  private def frame(members: (String, JsValue)*): TextMessage =
    TextMessage(JsObject(members: _*).compactPrint)

  /** What a client has sent. */
  sealed trait Sent
  final case class Text(text: String) extends Sent
  case object Pong extends Sent
  case object Wrong extends Sent

  def read(json: String): Sent =
    Try(json.parseJson) match {
      case Success(JsObject(members)) =>
        members.get("text") match {
          case Some(JsString(text)) if NewMessage.isText(text) => Text(text)
          case None if members.contains("pong")                => Pong
          case _                                               => Wrong
        }
      case _ => Wrong
    }
}
