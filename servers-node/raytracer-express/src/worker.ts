import { renderPng, type Size } from './picture.ts';

export interface Task {
  size: Size;
  /** In memory that both threads share: not 0 once the client has left. */
  gone: Int32Array;
}

/** What a worker thread does. */
export default function work({ size, gone }: Task): Uint8Array | undefined {
  const isWanted = () => Atomics.load(gone, 0) === 0;
  return isWanted() ? renderPng(size, isWanted) : undefined;
}
