import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import createError from 'http-errors';
import { type Drawer, MAX_QUEUE } from './drawer.ts';
import type { Draws } from './thread.ts';

interface Task extends Draws {
  resolve: (counts?: Uint32Array) => void;
  reject: (error: Error) => void;
}

// #region randoms.draw
/** As many worker threads as cores, in a pool of our own on node:worker_threads. */
export class ThreadDrawer implements Drawer {
  readonly #queue = new Set<Task>(); // keeps the order of arrival
  readonly #threads = new Map<Worker, Task | undefined>(); // with what each draws now

  constructor() {
    while (this.#threads.size < availableParallelism()) {
      this.#start();
    }
  }

  async draw(count: number, seed: number, signal: AbortSignal): Promise<Uint32Array | undefined> {
    if (this.#queue.size >= MAX_QUEUE) {
      throw createError(503, 'Too many results are waiting.');
    }
    return new Promise((resolve, reject) => {
      const task = { count, seed, resolve, reject };
      this.#queue.add(task);
      signal.addEventListener('abort', () => this.#queue.delete(task) && resolve(undefined));
      this.#next();
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads.keys()].map((thread) => thread.removeAllListeners('exit').terminate()));
  }

  /** Gives the task that has waited longest to a thread that has none. */
  #next(): void {
    const [task] = this.#queue;
    const [thread] = [...this.#threads].find(([, drawing]) => !drawing) ?? [];
    if (task && thread) {
      this.#queue.delete(task);
      this.#threads.set(thread, task);
      thread.postMessage({ count: task.count, seed: task.seed } satisfies Draws);
    }
  }

  #start(): void {
    const thread = new Worker(new URL('./thread.ts', import.meta.url));
    this.#threads.set(thread, undefined);
    thread.on('message', (counts: Uint32Array) => {
      this.#threads.get(thread)?.resolve(counts);
      this.#threads.set(thread, undefined);
      this.#next();
    });
    // An error ends the thread. Without a task it has not even started, and the next one would not either.
    thread.on('error', (error: Error) => {
      const task = this.#threads.get(thread);
      if (!task) {
        throw error;
      }
      task.reject(error);
    });
    thread.on('exit', () => {
      this.#threads.delete(thread);
      this.#start();
      this.#next();
    });
  }
}
// #endregion randoms.draw
