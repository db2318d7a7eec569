import { draw } from '../../_shared/xorshift/src/xorshift.ts';

export interface Task {
  count: number;
  seed: number;
  /** In memory that both threads share: not 0 once the client has left. */
  gone: Int32Array;
}

/** What a worker thread of Piscina does. */
export default function work({ count, seed, gone }: Task): Uint32Array | undefined {
  return Atomics.load(gone, 0) === 0 ? draw(count, seed) : undefined;
}
