import { Agent, type ClientRequestArgs } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Bytes that a connection has carried, both ways. */
export function bytesOf(socket: Socket): number {
  return socket.bytesRead + socket.bytesWritten;
}

/** Opens the connections of one user, keeps idle ones, and counts the bytes of all of them. */
export class CountingAgent extends Agent {
  readonly #open = new Set<Socket>();
  #closed = 0;

  constructor() {
    super({ keepAlive: true });
  }

  override createConnection(
    options: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const socket = super.createConnection(options, callback) as Socket;
    socket.setNoDelay(true);
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#closed += bytesOf(socket);
    });
    return socket;
  }

  get bytes(): number {
    let sum = this.#closed;
    for (const socket of this.#open) {
      sum += bytesOf(socket);
    }
    return sum;
  }
}

/** The bytes of an unfragmented WebSocket frame with that payload (RFC 6455, 5.2); a client's carries a mask. */
export function frameBytes(payload: number, from: 'client' | 'server'): number {
  const length = payload <= 125 ? 2 : payload <= 65_535 ? 4 : 10;
  return length + (from === 'client' ? 4 : 0) + payload;
}
