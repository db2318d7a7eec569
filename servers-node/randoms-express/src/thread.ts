import { parentPort } from 'node:worker_threads';
import { draw } from '../../_shared/xorshift/src/xorshift.ts';

export interface Draws {
  count: number;
  seed: number;
}

/** What a thread of thread-drawer.ts does: for each message it sends one back. */
parentPort?.on('message', ({ count, seed }: Draws) => parentPort?.postMessage(draw(count, seed)));
