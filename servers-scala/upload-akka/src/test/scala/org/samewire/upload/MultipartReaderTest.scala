package org.samewire.upload

import akka.util.ByteString
import org.junit.jupiter.api.Assertions.{assertEquals, assertTrue}
import org.junit.jupiter.api.Test
import org.samewire.upload.MultipartReader._

class MultipartReaderTest {
  private val body = ByteString(
    "preamble\r\n--b\r\n" +
      "content-DISPOSITION: Form-Data; filename=\"C:\\dir\\a \\\"%22\t\u00e9\"; name=files\r\nX: y\r\n\r\n" +
      "one\r\n--\r\n-b\r\n--b\r\n" +
      "Content-Disposition: form-data; name=\"note\"\r\n\r\n\r\n--b\r\n\r\nnothing\r\n--b--epilogue\r\n--b"
  )
  private val events = Seq(
    Part("files", Some("C:\\dir\\a \"\"\t\u00e9")),
    Data(ByteString("one\r\n--\r\n-b")),
    PartEnd,
    Part("note", None),
    PartEnd,
    Part("", None),
    Data(ByteString("nothing")),
    PartEnd
  )

  @Test
  def sameHoweverItIsCut(): Unit =
    for (size <- 1 to body.length) {
      val (found, end) = read(body.grouped(size).toSeq)
      assertEquals(events, found, s"in pieces of $size")
      assertTrue(end.ended)
    }

  @Test
  def endsWithTheClosingDelimiter(): Unit = {
    val closed = body.indexOfSlice(ByteString("--b--")) + "--b--".length
    for (length <- 0 to body.length) {
      val (found, end) = read(Seq(body.take(length)))
      assertEquals(length >= closed, end.ended, s"$length bytes")
      assertTrue(!found.contains(Malformed), s"$length bytes")
    }
  }

  @Test
  def refusesMalformedHeaders(): Unit =
    for (
      header <- Seq(
        "no colon",
        " folded: x",
        "a\u0001: b",
        "a: \u007f",
        "a b: c",
        "a: " + "x" * 9000
      )
        ++ Seq("Content-Disposition: form-data; name=\"files\"; filename=\"a")
    ) {
      val (found, _) = read(Seq(ByteString(s"--b\r\n$header\r\n\r\nx\r\n--b--")))
      assertEquals(Seq(Malformed), found, header)
    }

  @Test
  def refusesFileNamesThatAreNotUtf8(): Unit = {
    val (before, after) = body.splitAt(body.indexOf(0xc3.toByte))
    assertEquals(Seq(Malformed), read(Seq(before ++ after.drop(1)))._1)
  }

  @Test
  def refusesUnusableBoundaries(): Unit = {
    Seq("", "b ", "b" * 71, "b\"", "\u00e9").foreach(b => assertTrue(MultipartReader(b).isEmpty, b))
    Seq("b", " b", "b" * 70, "'()+_,-./:=?").foreach(b =>
      assertTrue(MultipartReader(b).nonEmpty, b)
    )
  }

  /** Events, with what belongs together joined. */
  private def read(pieces: Seq[ByteString]): (Seq[Event], MultipartReader) =
    pieces.foldLeft((Seq.empty[Event], MultipartReader("b").get)) {
      case ((events, reader), piece) =>
        val (more, next) = reader.feed(piece)
        val joined = more.foldLeft(events) {
          case (before :+ Data(first), Data(second)) => before :+ Data(first ++ second)
          case (before, event)                       => before :+ event
        }
        (joined, next)
    }
}
