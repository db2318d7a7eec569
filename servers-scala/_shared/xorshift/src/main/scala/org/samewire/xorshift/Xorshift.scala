package org.samewire.xorshift

/** Marsaglia's xorshift32: from one state of 32 bits, never 0, to the next. */
object Xorshift {

  /** Numbers are from 1 to this. */
  final val Numbers = 1000

  /** How often each number was drawn in `count` draws; that of n is at n - 1. The bits of `seed`
    * are those of the unsigned number.
    */
  def draw(count: Int, seed: Int): Array[Int] = {
    val counts = new Array[Int](Numbers)
    var state = seed
    var drawn = 0
    while (drawn < count) {
      state = next(state)
      counts(Integer.remainderUnsigned(state, Numbers)) += 1
      drawn += 1
    }
    counts
  }

  private[xorshift] def next(state: Int): Int = {
    var x = state
    x ^= x << 13
    x ^= x >>> 17
    x ^ x << 5
  }
}
