package org.samewire.raytracer

import java.security.MessageDigest
import java.util.HexFormat
import org.junit.jupiter.api.Assertions.{assertArrayEquals, assertEquals}
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvFileSource

class RaytracerTest {
  @ParameterizedTest
  @CsvFileSource(
    files = Array("../../../contract-tests/raytracer/golden/pictures.csv"),
    useHeadersInDisplayName = true
  )
  def pixelsArePinned(width: Int, height: Int, depth: Int, sha256: String): Unit = {
    val digest = MessageDigest.getInstance("SHA-256").digest(Raytracer.render(width, height, depth))
    assertEquals(sha256, HexFormat.of.formatHex(digest))
  }

  @Test
  def rowIsPutWhereItIsAskedForAndNowhereElse(): Unit = {
    val row = Array.fill[Byte](3 * 64 + 2)(0x55)
    Raytracer.renderRow(64, 48, 5, 47, row, 1)
    assertEquals(0x55, row.head.toInt)
    assertEquals(0x55, row.last.toInt)
    assertArrayEquals(Raytracer.render(64, 48, 5).takeRight(3 * 64), row.slice(1, row.length - 1))
  }
}
