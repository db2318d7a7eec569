import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import createError from 'http-errors';
import { Piscina } from 'piscina';
import { renderPng, type Size } from './picture.ts';
import type { Task } from './worker.ts';

export interface Renderer {
  /** The PNG, or undefined if its client has left. */
  render(size: Size, signal: AbortSignal): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

// #region raytracer.render
/** As many worker threads as cores: the event loop goes on taking requests while they compute. */
export class PooledRenderer implements Renderer {
  readonly #pool = new Piscina<Task, Uint8Array | undefined>({
    filename: import.meta.resolve('./worker.ts'),
    minThreads: availableParallelism(),
    maxThreads: availableParallelism(),
    maxQueue: 256,
    stricterFIFO: true, // else Piscina moves the first of the queue to its end when no worker is free
  });

  async render(size: Size, signal: AbortSignal): Promise<Uint8Array | undefined> {
    if (this.#pool.queueSize >= this.#pool.options.maxQueue) {
      throw createError(503, 'Too many pictures are waiting.');
    }
    // Not a signal for Piscina: it keeps tasks with a signal in a queue without order and limit (its issues 899, 1031).
    const gone = new Int32Array(new SharedArrayBuffer(4));
    signal.addEventListener('abort', () => Atomics.store(gone, 0, 1));
    return this.#pool.run({ size, gone });
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
// #endregion raytracer.render

/** On the event loop, which answers nothing else meanwhile: how not to do it. */
export class InlineRenderer implements Renderer {
  #turn: Promise<unknown> = Promise.resolve();

  async render(size: Size, signal: AbortSignal): Promise<Uint8Array | undefined> {
    this.#turn = this.#turn.then(() => setImmediate());
    await this.#turn; // one picture in each turn of the event loop: other requests, timers and signals come between two
    return signal.aborted ? undefined : renderPng(size, () => true);
  }

  async close(): Promise<void> {}
}
