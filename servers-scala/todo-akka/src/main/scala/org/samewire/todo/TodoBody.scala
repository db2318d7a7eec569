package org.samewire.todo

import akka.util.ByteString
import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

/** What clients send of a TODO: its members, each checked if it is there. */
final case class TodoBody(title: Option[String], completed: Option[Boolean])

object TodoBody {
  private val WhiteSpace = "\t\n\u000b\f\r "

  // Names by code point, which is the order of their UTF-8.
  private val byCodePoint: Ordering[String] =
    (one, other) => Arrays.compareUnsigned(one.getBytes(UTF_8), other.getBytes(UTF_8))

  /** The members, some of them `required`, or the problem with the first rule that is broken. */
  def read(body: ByteString, required: Set[String]): Either[Problem, TodoBody] =
    for {
      value <-
        try Right(Json.read(body))
        catch { case _: IOException => Left(Problem.InvalidJson) }
      members <- value match {
        case Json.Members(byName) => Right(byName)
        case _                    => broken("Request body must be an object.")
      }
      _ <- (members.keySet -- Set("title", "completed")).minOption(byCodePoint) match {
        case Some(unknown) => broken(s"Unknown member: $unknown.")
        case None          => Right(())
      }
      title <- members.get("title") match {
        case Some(Json.Text(title)) if isTitle(title) => Right(Some(title))
        case Some(_) => broken("title must be a string of 1 to 200 characters.")
        case None    => absent("title", required)
      }
      completed <- members.get("completed") match {
        case Some(Json.Truth(completed)) => Right(Some(completed))
        case Some(_)                     => broken("completed must be a boolean.")
        case None                        => absent("completed", required)
      }
    } yield TodoBody(title, completed)

  private def isTitle(title: String): Boolean =
    title.codePointCount(0, title.length) <= 200 &&
      title.indexOf(0) < 0 &&
      title.exists(WhiteSpace.indexOf(_) < 0)

  private def absent(name: String, required: Set[String]): Either[Problem, None.type] =
    if (required(name)) broken(s"$name is required.") else Right(None)

  private def broken(detail: String): Left[Problem, Nothing] = Left(Problem.brokenRule(detail))
}
