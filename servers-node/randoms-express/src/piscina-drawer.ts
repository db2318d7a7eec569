import { availableParallelism } from 'node:os';
import createError from 'http-errors';
import { Piscina } from 'piscina';
import { type Drawer, MAX_QUEUE } from './drawer.ts';
import type { Task } from './worker.ts';

// #region randoms.draw
/** As many worker threads as cores, in a pool of Piscina. */
export class PiscinaDrawer implements Drawer {
  readonly #pool = new Piscina<Task, Uint32Array | undefined>({
    filename: import.meta.resolve('./worker.ts'),
    minThreads: availableParallelism(),
    maxThreads: availableParallelism(),
    maxQueue: MAX_QUEUE,
    stricterFIFO: true, // else Piscina moves the first of the queue to its end when no worker is free
  });

  async draw(count: number, seed: number, signal: AbortSignal): Promise<Uint32Array | undefined> {
    if (this.#pool.queueSize >= MAX_QUEUE) {
      throw createError(503, 'Too many results are waiting.');
    }
    // Not a signal for Piscina: it keeps tasks with a signal in a queue without order and limit (its issues 899, 1031).
    const gone = new Int32Array(new SharedArrayBuffer(4));
    signal.addEventListener('abort', () => Atomics.store(gone, 0, 1));
    return this.#pool.run({ count, seed, gone });
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
// #endregion randoms.draw
