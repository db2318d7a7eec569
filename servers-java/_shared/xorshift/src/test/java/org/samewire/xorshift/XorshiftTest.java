package org.samewire.xorshift;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same vectors in every language; they come from a program in Python. */
class XorshiftTest {
  private static final int LARGEST_SEED = Integer.parseUnsignedInt("4294967295");

  @Test
  void firstStatesAndNumbersOfSeed1() {
    assertArrayEquals(
        new long[] {270369, 67634689, 2647435461L, 307599695, 2398689233L}, states(1));
    assertArrayEquals(new int[] {370, 690, 462, 696, 234}, numbers(1));
  }

  @Test
  void firstStatesAndNumbersOfTheLargestSeed() {
    assertArrayEquals(
        new long[] {253983, 4228382207L, 1958451267, 4056713434L, 2049502865},
        states(LARGEST_SEED));
    assertArrayEquals(new int[] {984, 208, 268, 435, 866}, numbers(LARGEST_SEED));
  }

  @Test
  void noDrawCountsNothing() {
    assertArrayEquals(new int[Xorshift.NUMBERS], Xorshift.draw(0, 1));
  }

  @Test
  void firstDrawIsTheNumberOfTheFirstStep() {
    int[] expected = new int[Xorshift.NUMBERS];
    expected[370 - 1] = 1;
    assertArrayEquals(expected, Xorshift.draw(1, 1));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 999, 12_345})
  void everyDrawIsCountedOnce(int count) {
    assertEquals(count, Arrays.stream(Xorshift.draw(count, LARGEST_SEED)).sum());
  }

  @Test
  void millionDrawsOfSeed42() throws NoSuchAlgorithmException {
    int[] counts = Xorshift.draw(1_000_000, 42);
    assertArrayEquals(
        new int[] {994, 948, 989, 957}, new int[] {counts[0], counts[1], counts[499], counts[999]});
    String joined =
        Arrays.stream(counts).mapToObj(String::valueOf).collect(Collectors.joining(","));
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(joined.getBytes(US_ASCII));
    assertEquals(
        "c1fc7713f60e27eec4c9e54f5c6738bd0cfa1745567ff64c5256af515a894db6",
        HexFormat.of().formatHex(digest));
  }

  private static IntStream steps(int seed) {
    return IntStream.iterate(Xorshift.next(seed), Xorshift::next).limit(5);
  }

  private static long[] states(int seed) {
    return steps(seed).mapToLong(Integer::toUnsignedLong).toArray();
  }

  private static int[] numbers(int seed) {
    return steps(seed).map(Xorshift::number).toArray();
  }
}
