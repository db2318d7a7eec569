/** What an update computes: some arithmetic, whose length is the lab's knob. */
final class Work {
  private static final int ROUNDS = Integer.parseInt(System.getenv().getOrDefault("WORK", "0"));

  private Work() {}

  /** The value that follows, after so many rounds of Marsaglia's xorshift. */
  static long next(long value) {
    int x = (int) value | 1;
    for (int round = 0; round < ROUNDS; round++) {
      x ^= x << 13;
      x ^= x >>> 17;
      x ^= x << 5;
    }
    // It never comes to 0. The compiler cannot know that, so it leaves no round out.
    return x == 0 ? value : value + 1;
  }
}
