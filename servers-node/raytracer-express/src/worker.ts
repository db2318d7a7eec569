import { move } from 'piscina';
import { renderPng, type Size } from './picture.ts';

/** Of a task, in memory that both threads share. */
export const State = { wanted: 0, unwanted: 1 } as const;

export interface Task {
  readonly size: Size;
  readonly state: Int32Array;
}

/** The task of a worker thread. */
export default function render({ size, state }: Task): Uint8Array | undefined {
  const wanted = () => Atomics.load(state, 0) === State.wanted;
  const png = wanted() ? renderPng(size, wanted) : undefined;
  // Handed over, not copied.
  return png && (move(new Uint8Array(png)) as Uint8Array);
}
