package org.samewire.upload

import akka.util.ByteString
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import scala.annotation.tailrec
import scala.util.Try

/** A body of type multipart/form-data, read piece by piece: where it is, and what of the bytes so
  * far cannot be told yet.
  *
  * Akka HTTP's own unmarshaller does not show the bytes of a file name (what is not UTF-8 looks
  * like what is), puts a space for a tab in it, and cancels the request at its first mistake.
  */
final class MultipartReader private (
    delimiter: Delimiter,
    place: MultipartReader.Place,
    rest: Array[Byte]
) {
  import MultipartReader._

  /** Whether the closing delimiter has been read. */
  def ended: Boolean = place == Epilogue

  /** What the next bytes say, in their order, and how to go on after them. */
  def feed(bytes: ByteString): (Seq[Event], MultipartReader) =
    if (ended) (Nil, this)
    else {
      // As a rule nothing is left, and the new bytes are an array of their own that is not copied.
      val input = (ByteString.fromArrayUnsafe(rest) ++ bytes).toArrayUnsafe()
      advance(place, input, 0, Vector.empty)
    }

  @tailrec
  private def advance(
      place: Place,
      input: Array[Byte],
      from: Int,
      events: Vector[Event]
  ): (Seq[Event], MultipartReader) = {
    def pause(at: Int, more: Event*) =
      (events ++ more, new MultipartReader(delimiter, place, input.drop(at)))

    place match {
      case Preamble | Content =>
        val end = delimiter.indexIn(input, from)
        val until = if (end >= 0) end else delimiter.beginIn(input, from)
        val content =
          if (place == Preamble || until == from) None
          else Some(Data(ByteString.fromArrayUnsafe(input, from, until - from)))
        if (end < 0) pause(until, content.toSeq: _*)
        else {
          val all = events ++ content ++ Option.when(place == Content)(PartEnd)
          advance(AfterDelimiter, input, end + delimiter.length, all)
        }

      case AfterDelimiter =>
        if (input.length - from < 2) pause(from)
        else if (input(from) == '-' && input(from + 1) == '-')
          (events, new MultipartReader(delimiter, Epilogue, Array.empty))
        else if (input(from) == '\r' && input(from + 1) == '\n')
          advance(Headers, input, from, events)
        else (events :+ Malformed, this)

      case Headers =>
        // They begin with the end of the delimiter's line, so that an empty block ends alike.
        val end = input.indexOfSlice(EndOfHeaders, from)
        if (end > from + MaxHeaders || (end < 0 && input.length - from > MaxHeaders + 4))
          (events :+ Malformed, this)
        else if (end < 0) pause(from)
        else
          part(new String(input, from, end - from, ISO_8859_1)) match {
            case Some(part) => advance(Content, input, end + EndOfHeaders.length, events :+ part)
            case None       => (events :+ Malformed, this)
          }

      case Epilogue => (events, this)
    }
  }
}

object MultipartReader {
  sealed trait Event

  /** The begin of a part; without a file name it is to be ignored. */
  final case class Part(field: String, fileName: Option[String]) extends Event
  final case class Data(bytes: ByteString) extends Event
  case object PartEnd extends Event

  /** Nothing can be read after this. */
  case object Malformed extends Event

  private[upload] sealed trait Place
  private case object Preamble extends Place
  private case object AfterDelimiter extends Place
  private case object Headers extends Place
  private case object Content extends Place
  private case object Epilogue extends Place

  private val MaxHeaders = 8 * 1024
  private val EndOfHeaders = "\r\n\r\n".getBytes(ISO_8859_1)
  private val Token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
  private val Boundary =
    "[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]"

  /** The begin of a body, if the boundary is usable. */
  def apply(boundary: String): Option[MultipartReader] =
    Option.when(boundary.matches(Boundary)) {
      // As if a line had ended before: the first delimiter may be the very first bytes.
      new MultipartReader(new Delimiter(s"\r\n--$boundary"), Preamble, "\r\n".getBytes(ISO_8859_1))
    }

  /** What the headers of a part say of it; none if they are malformed. */
  private def part(block: String): Option[Part] = {
    val lines = block.split("\r\n").filter(_.nonEmpty).toSeq
    val fields = lines.map(_.split(":", 2))
    val wellFormed = !lines.exists(_.exists(isControl)) &&
      fields.forall(field => field.length == 2 && field.head.matches(Token))
    Option.when(wellFormed)(fields).flatMap {
      _.find(_.head.equalsIgnoreCase("Content-Disposition")) match {
        case Some(Array(_, value)) => disposition(value)
        case _                     => Some(Part("", None))
      }
    }
  }

  private def isControl(c: Char): Boolean = c < ' ' && c != '\t' || c == '\u007f'

  private def disposition(value: String): Option[Part] = {
    val kind = value.takeWhile(_ != ';').trim
    if (!kind.equalsIgnoreCase("form-data")) Some(Part("", None))
    else
      for {
        parameters <- parameters(value.dropWhile(_ != ';'), Map.empty)
        field = parameters.get("name").flatMap(text).getOrElse("")
        fileName <- parameters.get("filename").filter(_.nonEmpty) match {
          case Some(bytes) => text(bytes).map(Some(_))
          case None        => Some(None)
        }
      } yield Part(field, fileName)
  }

  /** `; name=value` again and again: names in lower case, and of values the first. */
  @tailrec
  private def parameters(
      from: String,
      sofar: Map[String, String]
  ): Option[Map[String, String]] =
    if (from.isBlank) Some(sofar)
    else {
      val name = from.drop(1).takeWhile(_ != '=')
      val value = from.drop(1 + name.length + 1)
      val key = name.trim.toLowerCase
      val (found, rest) = if (value.startsWith("\"")) quoted(value) else value.span(_ != ';')
      val next = rest.stripLeading
      if (
        !from.startsWith(";") || !key
          .matches(Token + "|") || !(next.isEmpty || next.startsWith(";"))
      )
        None
      else {
        val plain = if (value.startsWith("\"")) found else found.trim
        parameters(next, if (sofar.contains(key)) sofar else sofar.updated(key, plain))
      }
    }

  /** A quoted string's value, and what follows it. Only `\"` is an escape: browsers send
    * backslashes as they are.
    */
  private def quoted(text: String): (String, String) = {
    val value = new StringBuilder
    @tailrec
    def close(i: Int): Int =
      if (i >= text.length) -1
      else if (text(i) == '"') i
      else if (text.startsWith("\\\"", i)) {
        value.append('"')
        close(i + 2)
      } else {
        value.append(text(i))
        close(i + 1)
      }
    val end = close(1)
    // Without an end, what is left does not begin with a semicolon.
    if (end < 0) ("", "\"") else (value.toString, text.drop(end + 1))
  }

  /** The text of bytes that are UTF-8, with the three characters that browsers percent-encode. */
  private def text(bytes: String): Option[String] =
    Try(UTF_8.newDecoder.decode(ByteBuffer.wrap(bytes.getBytes(ISO_8859_1))).toString).toOption
      .map(_.replaceAll("(?i)%0A", "\n").replaceAll("(?i)%0D", "\r").replace("%22", "\""))
}

/** The bytes between parts, and how to find them (Boyer-Moore-Horspool). */
private[upload] final class Delimiter(text: String) {
  private val bytes = text.getBytes(ISO_8859_1)
  private val last = bytes.length - 1
  private val skips = {
    val skips = Array.fill(256)(bytes.length)
    (0 until last).foreach(i => skips(bytes(i) & 0xff) = last - i)
    skips
  }

  def length: Int = bytes.length

  /** The first place from `from` on, or -1. */
  def indexIn(input: Array[Byte], from: Int): Int = {
    var at = from
    var found = false
    while (!found && at + last < input.length) {
      var i = last
      while (i >= 0 && input(at + i) == bytes(i)) i -= 1
      if (i < 0) found = true
      else at += skips(input(at + last) & 0xff)
    }
    if (found) at else -1
  }

  /** Where the end of the input may be the begin of a delimiter; its length if it is none. */
  def beginIn(input: Array[Byte], from: Int): Int =
    (math.max(from, input.length - last) to input.length)
      .find(at => (at until input.length).forall(i => input(i) == bytes(i - at)))
      .getOrElse(input.length)
}
