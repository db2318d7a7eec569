import { move } from 'piscina';
import { renderPng, type Size } from './picture.ts';

/** Of a task, in memory that both threads share: one moves it from waiting to running, the other to unwanted. */
export const State = { waiting: 0, running: 1, unwanted: 2 } as const;

export interface Task {
  readonly size: Size;
  readonly state: Int32Array;
}

/** The task of a worker thread. */
export default function render({ size, state }: Task): Uint8Array | undefined {
  if (Atomics.compareExchange(state, 0, State.waiting, State.running) === State.unwanted) {
    return undefined;
  }
  const png = renderPng(size, () => Atomics.load(state, 0) === State.running);
  // Handed over, not copied.
  return png && (move(new Uint8Array(png)) as Uint8Array);
}
