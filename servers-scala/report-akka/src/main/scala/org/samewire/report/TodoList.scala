package org.samewire.report

import akka.util.ByteString
import com.fasterxml.jackson.core.{
  JsonFactory,
  JsonFactoryBuilder,
  JsonParser,
  JsonToken,
  StreamReadConstraints
}
import java.io.IOException
import java.nio.charset.CharacterCodingException
import java.nio.charset.StandardCharsets.UTF_8
import scala.annotation.tailrec
import scala.util.Using

final case class Todo(id: Long, title: String, completed: Boolean)

/** What the todo service answers. */
object TodoList {
  private sealed trait Value
  private final case class Text(value: String) extends Value
  private final case class Truth(value: Boolean) extends Value
  private final case class Integer(digits: String) extends Value
  private final case class Elements(values: Vector[Value]) extends Value
  private final case class Members(byName: Map[String, Value]) extends Value
  private case object Other extends Value

  private val factory = new JsonFactoryBuilder()
    // Names come from elsewhere: they must not fill a table of symbols.
    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
    .streamReadConstraints(
      StreamReadConstraints.builder
        .maxNestingDepth(64)
        // The size of the body limits these.
        .maxNumberLength(Int.MaxValue)
        .maxNameLength(Int.MaxValue)
        .build
    )
    .build

  /** The items of a list. Members that are not needed may be there or not. */
  @throws[IOException]("if it is not exactly one JSON value in UTF-8, or of another shape")
  def read(body: ByteString): Seq[Todo] = {
    val text = UTF_8.newDecoder.decode(body.asByteBuffer).toString
    Using.resource(factory.createParser(text)) { json =>
      val list = value(next(json), json)
      if (json.nextToken() != null) throw new IOException("more than one value")
      list match {
        case Members(list) =>
          list.get("items") match {
            case Some(Elements(items)) => items.map(todo)
            case _                     => throw new IOException("no items")
          }
        case _ => throw new IOException("no object")
      }
    }
  }

  private def todo(item: Value): Todo = item match {
    case Members(members) =>
      (members.get("id"), members.get("title"), members.get("completed")) match {
        case (Some(Integer(digits)), Some(Text(title)), Some(Truth(completed))) =>
          Todo(id(digits), title, completed)
        case _ => throw new IOException("no todo")
      }
    case _ => throw new IOException("no todo")
  }

  private def id(digits: String): Long =
    Option(digits)
      .filter(_.length <= 19)
      .flatMap(_.toLongOption)
      .filter(_ > 0)
      .getOrElse(throw new IOException("no id"))

  /** Of members with the same name the last counts. The parser limits the depth. */
  private def value(first: JsonToken, json: JsonParser): Value = first match {
    case JsonToken.START_OBJECT     => members(json, Map.empty)
    case JsonToken.START_ARRAY      => elements(json, Vector.empty)
    case JsonToken.VALUE_STRING     => Text(json.getText)
    case JsonToken.VALUE_NUMBER_INT => Integer(json.getText)
    case JsonToken.VALUE_TRUE       => Truth(true)
    case JsonToken.VALUE_FALSE      => Truth(false)
    case _                          => Other
  }

  @tailrec
  private def members(json: JsonParser, sofar: Map[String, Value]): Value =
    if (next(json) == JsonToken.END_OBJECT) Members(sofar)
    else {
      val name = json.currentName
      members(json, sofar.updated(name, value(next(json), json)))
    }

  @tailrec
  private def elements(json: JsonParser, sofar: Vector[Value]): Value = {
    val token = next(json)
    if (token == JsonToken.END_ARRAY) Elements(sofar)
    else elements(json, sofar :+ value(token, json))
  }

  private def next(json: JsonParser): JsonToken = {
    val token = json.nextToken()
    if (token == null) throw new IOException("no value")
    // To the parser, half of an escaped surrogate pair is well-formed.
    val isText = token == JsonToken.FIELD_NAME || token == JsonToken.VALUE_STRING
    if (isText && !UTF_8.newEncoder.canEncode(json.getText)) throw new CharacterCodingException
    token
  }
}
