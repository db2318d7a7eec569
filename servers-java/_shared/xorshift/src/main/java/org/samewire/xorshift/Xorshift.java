package org.samewire.xorshift;

/**
 * The draws of the contract (contract-tests/randoms/README.md): xorshift32, and numbers from 1 to
 * 1000. An int holds the 32 unsigned bits of a state. Nothing is shared: any number of threads may
 * draw.
 */
public final class Xorshift {
  /** Numbers are 1 to so many. */
  public static final int NUMBERS = 1000;

  private Xorshift() {}

  /** How often each number comes in {@code count} draws: that of n is at n - 1. */
  public static int[] draw(int count, int seed) {
    int[] counts = new int[NUMBERS];
    int state = seed;
    for (int i = 0; i < count; i++) {
      state = next(state);
      counts[number(state) - 1]++;
    }
    return counts;
  }

  static int next(int state) {
    int x = state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return x;
  }

  static int number(int state) {
    return 1 + Integer.remainderUnsigned(state, NUMBERS);
  }
}
