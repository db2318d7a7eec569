import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { Task } from './worker.ts';

/** Too many draws are waiting already. */
export class Busy extends Error {
  override readonly name = 'Busy';
}

const QUEUE_LIMIT = 128;

// #region randoms.draw
/** As many worker threads as cores: the event loop goes on taking requests while they draw. */
export class Drawer {
  readonly #pool = new Piscina<Task, Uint32Array | undefined>({
    filename: new URL('worker.ts', import.meta.url).href,
    minThreads: availableParallelism(),
    maxThreads: availableParallelism(),
  });

  /** The counts; undefined if `signal` was aborted while the draws were waiting. Throws Busy. */
  async draw(count: number, seed: number, signal: AbortSignal): Promise<Uint32Array | undefined> {
    if (this.#pool.queueSize >= QUEUE_LIMIT) {
      throw new Busy(`${QUEUE_LIMIT} draws are waiting`);
    }
    const gone = new Int32Array(new SharedArrayBuffer(4));
    signal.addEventListener('abort', () => Atomics.store(gone, 0, 1));
    return this.#pool.run({ count, seed, gone });
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
// #endregion randoms.draw
