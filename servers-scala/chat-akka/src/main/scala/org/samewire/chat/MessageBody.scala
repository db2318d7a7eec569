package org.samewire.chat

import akka.util.ByteString
import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

/** What clients send of a message. */
final case class MessageBody(user: String, text: String)

object MessageBody {
  // Names by code point, which is the order of their UTF-8.
  val byCodePoint: Ordering[String] =
    (one, other) => Arrays.compareUnsigned(one.getBytes(UTF_8), other.getBytes(UTF_8))

  /** The members, or the problem with the first rule that is broken. */
  def read(body: ByteString): Either[Problem, MessageBody] =
    for {
      value <-
        try Right(Json.read(body))
        catch { case _: IOException => Left(Problem.InvalidJson) }
      members <- value match {
        case Json.Members(byName) => Right(byName)
        case _                    => Left(Problem.brokenRule("Request body must be an object."))
      }
      _ <- (members.keySet -- Set("user", "text")).minOption(byCodePoint) match {
        case Some(unknown) => Left(Problem.brokenRule(s"Unknown member: $unknown."))
        case None          => Right(())
      }
      user <- string(members, "user").filter(isName).toRight(Problem.InvalidUser)
      text <- string(members, "text").filter(isLine(_, 500)).toRight(Problem.InvalidText)
    } yield MessageBody(user, text)

  def isName(user: String): Boolean = isLine(user, 32)

  private def isLine(text: String, max: Int): Boolean =
    !text.isEmpty &&
      text.codePointCount(0, text.length) <= max &&
      !text.exists(Character.isISOControl)

  private def string(members: Map[String, Json.Value], name: String): Option[String] =
    members.get(name).collect { case Json.Text(value) => value }
}
