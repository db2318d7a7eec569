package org.samewire.raytracer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

class RaytracerTest {
  private static final String PINNED = "../../../contract-tests/raytracer/golden/pictures.csv";

  @ParameterizedTest
  @CsvFileSource(files = PINNED, useHeadersInDisplayName = true)
  void pixelsArePinned(int width, int height, int depth, String sha256)
      throws NoSuchAlgorithmException {
    byte[] pixels = Raytracer.render(width, height, depth);
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(pixels);
    assertEquals(sha256, HexFormat.of().formatHex(digest));
  }

  @Test
  void rowIsPutWhereItIsAskedForAndNowhereElse() {
    byte[] row = new byte[3 * 64 + 2];
    Arrays.fill(row, (byte) 0x55);
    Raytracer.renderRow(64, 48, 5, 47, row, 1);
    assertEquals(0x55, row[0]);
    assertEquals(0x55, row[row.length - 1]);
    byte[] picture = Raytracer.render(64, 48, 5);
    assertArrayEquals(
        Arrays.copyOfRange(picture, picture.length - 3 * 64, picture.length),
        Arrays.copyOfRange(row, 1, row.length - 1));
  }
}
