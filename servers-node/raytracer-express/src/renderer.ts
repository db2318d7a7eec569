import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { renderPng, type Size } from './picture.ts';
import { State, type Task } from './worker.ts';

/** Too many pictures are waiting already. */
export class Busy extends Error {
  override readonly name = 'Busy';
}

export interface Renderer {
  /** The PNG; undefined if `gone` was aborted before it was done. Throws Busy. */
  render(size: Size, gone: AbortSignal): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

const QUEUE_LIMIT = 256;

// #region raytracer.render
/** As many worker threads as cores: the event loop goes on taking requests while they compute. */
export class PooledRenderer implements Renderer {
  readonly #pool = new Piscina<Task, Uint8Array | undefined>({
    filename: new URL('worker.ts', import.meta.url).href,
    minThreads: availableParallelism(),
    maxThreads: availableParallelism(),
    // First come, first served: without it Piscina 5.3.2 moves the head of the queue to its end when no worker is free.
    // It does so in any case with a task that a signal could take out of the queue: that is why none has one.
    stricterFIFO: true,
  });

  async render(size: Size, gone: AbortSignal): Promise<Uint8Array | undefined> {
    if (this.#pool.queueSize >= QUEUE_LIMIT) {
      throw new Busy(`${QUEUE_LIMIT} pictures are waiting`);
    }
    const state = new Int32Array(new SharedArrayBuffer(4)); // State.wanted
    // A worker looks at it before it begins, and between two rows.
    gone.addEventListener('abort', () => Atomics.store(state, 0, State.unwanted));
    return this.#pool.run({ size, state });
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
// #endregion raytracer.render

/** On the event loop, which does nothing else meanwhile: what one should not do. */
export class InlineRenderer implements Renderer {
  async render(size: Size, gone: AbortSignal): Promise<Uint8Array | undefined> {
    return renderPng(size, () => !gone.aborted);
  }

  async close(): Promise<void> {}
}
