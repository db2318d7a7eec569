package org.samewire.chat

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

/** JSON as it comes in, and strings as they go out. */
object Json {
  sealed trait Value
  final case class Text(value: String) extends Value
  final case class Members(byName: Map[String, Value]) extends Value

  /** A value that is not looked into: neither a string nor the object that is the document. */
  case object Other extends Value

  private val factory = new JsonFactoryBuilder()
    // Names come from clients: they must not fill a table of symbols.
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

  /** The one value of a document. Of members with the same name the last counts. */
  @throws[IOException]("if it is not exactly one JSON value in UTF-8")
  def read(body: ByteString): Value = {
    val text = UTF_8.newDecoder.decode(body.asByteBuffer).toString
    Using.resource(factory.createParser(text)) { json =>
      val value =
        if (next(json) == JsonToken.START_OBJECT) Members(members(json, Map.empty))
        else skip(json)
      if (json.nextToken() != null) throw new IOException("more than one value")
      value
    }
  }

  @tailrec
  private def members(json: JsonParser, sofar: Map[String, Value]): Map[String, Value] =
    next(json) match {
      case JsonToken.END_OBJECT => sofar
      case _                    =>
        val name = json.currentName
        val value = next(json) match {
          case JsonToken.VALUE_STRING => Text(json.getText)
          case _                      => skip(json)
        }
        members(json, sofar.updated(name, value))
    }

  /** Reads the current value to its end: what is malformed in there counts as well. */
  private def skip(json: JsonParser): Value = {
    @tailrec
    def rest(depth: Int): Unit =
      if (depth > 0) {
        val token = next(json)
        rest(if (token.isStructStart) depth + 1 else if (token.isStructEnd) depth - 1 else depth)
      }
    rest(if (json.currentToken.isStructStart) 1 else 0)
    Other
  }

  private def next(json: JsonParser): JsonToken = {
    val token = json.nextToken()
    if (token == null) throw new IOException("no value")
    // To the parser, half of an escaped surrogate pair is well-formed.
    val isText = token == JsonToken.FIELD_NAME || token == JsonToken.VALUE_STRING
    if (isText && !UTF_8.newEncoder.canEncode(json.getText)) throw new CharacterCodingException
    token
  }

  def quote(text: String): String = {
    val quoted = new StringBuilder(text.length + 16).append('"')
    text.foreach {
      case '"'          => quoted.append("\\\"")
      case '\\'         => quoted.append("\\\\")
      case '\b'         => quoted.append("\\b")
      case '\f'         => quoted.append("\\f")
      case '\n'         => quoted.append("\\n")
      case '\r'         => quoted.append("\\r")
      case '\t'         => quoted.append("\\t")
      case c if c < ' ' => quoted.append("\\u%04x".format(c.toInt))
      case c            => quoted.append(c)
    }
    quoted.append('"').toString
  }
}
