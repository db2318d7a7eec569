/** The numbers of the contract (contract-tests/randoms/README.md): xorshift32, and 1 + x mod 1000 of each state. */

/**
 * The state after `state`, its 32 bits as a signed integer: V8 keeps such a one in a register, an unsigned one it turns
 * into a float, which makes the loop below many times as slow.
 */
export function next(state: number): number {
  let x = state;
  x ^= x << 13;
  x ^= x >>> 17;
  x ^= x << 5;
  return x;
}

/** How often each number came in `count` draws: that of number n is at n - 1. */
export function draw(count: number, seed: number): Uint32Array<ArrayBuffer> {
  const counts = new Uint32Array(1000);
  let x = seed | 0;
  for (let i = 0; i < count; i++) {
    x = next(x);
    // The unsigned x modulo 1000, in signed integers: of an unsigned one V8's first compiler, Maglev, makes a float, at
    // twelve times the cost. A literal: by the value of a name, even a constant one, V8 divides floats, too.
    const index = 2 * ((x >>> 1) % 500) + (x & 1);
    counts[index] = (counts[index] as number) + 1;
  }
  return counts;
}
