import { draw } from '../../_shared/xorshift/src/xorshift.ts';

export interface Task {
  readonly count: number;
  readonly seed: number;
  /** In memory that both threads share: not 0 as soon as nobody waits for the result. */
  readonly gone: Int32Array;
}

/** The task of a worker thread. */
export default function work({ count, seed, gone }: Task): Uint32Array | undefined {
  return Atomics.load(gone, 0) === 0 ? draw(count, seed) : undefined;
}
