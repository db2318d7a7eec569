package org.samewire.xorshift

import java.nio.charset.StandardCharsets.US_ASCII
import java.security.MessageDigest
import java.util.HexFormat
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

/** The vectors are the same in every language; they come from an implementation in Python. */
class XorshiftTest {
  @Test
  def statesFromTheSmallestSeed(): Unit =
    assertEquals(
      Seq(270369L, 67634689L, 2647435461L, 307599695L, 2398689233L),
      states(1)
    )

  @Test
  def statesFromTheLargestSeed(): Unit =
    assertEquals(
      Seq(253983L, 4228382207L, 1958451267L, 4056713434L, 2049502865L),
      states(4294967295L.toInt)
    )

  @Test
  def numbersAreCountedOneByOne(): Unit = {
    assertEquals(Set(370, 690, 462, 696, 234), drawn(5, 1))
    assertEquals(Set(984, 208, 268, 435, 866), drawn(5, 4294967295L.toInt))
  }

  @Test
  def oneDrawStepsFirst(): Unit = assertEquals(Set(370), drawn(1, 1))

  @Test
  def nothingIsDrawn(): Unit = assertEquals(0, Xorshift.draw(0, 1).sum)

  @Test
  def aMillionDraws(): Unit = {
    val counts = Xorshift.draw(1000000, 42)
    assertEquals(1000, counts.length)
    assertEquals(1000000, counts.sum)
    assertEquals(Seq(994, 948, 989, 957), Seq(1, 2, 500, 1000).map(number => counts(number - 1)))
    val digest =
      MessageDigest.getInstance("SHA-256").digest(counts.mkString(",").getBytes(US_ASCII))
    assertEquals(
      "c1fc7713f60e27eec4c9e54f5c6738bd0cfa1745567ff64c5256af515a894db6",
      HexFormat.of.formatHex(digest)
    )
  }

  private def states(seed: Int): Seq[Long] =
    Iterator.iterate(seed)(Xorshift.next).slice(1, 6).map(Integer.toUnsignedLong).toSeq

  private def drawn(count: Int, seed: Int): Set[Int] =
    Xorshift.draw(count, seed).zipWithIndex.collect { case (1, at) => at + 1 }.toSet
}
