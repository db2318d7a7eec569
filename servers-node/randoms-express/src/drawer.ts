/** Draws beside the event loop: that goes on taking requests meanwhile. */
export interface Drawer {
  /** How often each number came, or undefined if the client left before its turn. Fails with 503 if too many wait. */
  draw(count: number, seed: number, signal: AbortSignal): Promise<Uint32Array | undefined>;
  close(): Promise<void>;
}

/** How many results may wait for a worker thread. */
export const MAX_QUEUE = 256;
