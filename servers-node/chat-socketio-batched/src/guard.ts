import type { Socket } from 'socket.io';

type Connection = Socket['conn'];

const EVENTS_A_SECOND = 50;
const CONNECTS = 10;
const UNREAD_BYTES = 1024 * 1024;
const UNREAD_PACKETS = 2_000;

/** Counts the events of one connection. */
export class RateLimit {
  readonly #times = new Float64Array(EVENTS_A_SECOND).fill(Number.NEGATIVE_INFINITY);
  #next = 0;

  /** False if with this one there were more than 50 within one second. */
  allowsOneMore(): boolean {
    const now = performance.now();
    const fiftyAgo = this.#times[this.#next] as number;
    this.#times[this.#next] = now;
    this.#next = (this.#next + 1) % EVENTS_A_SECOND;
    return now - fiftyAgo > 1_000;
  }
}

/** Ends a connection that costs too much memory: its client does not read, or asks to be connected again and again. */
export function guard(connection: Connection): void {
  const drop = () => process.nextTick(() => connection.close(true));

  // What was not yet given to the transport, and what was given to it last: it takes more when that is on its way.
  let queued = { bytes: 0, packets: 0 };
  let given = { bytes: 0, packets: 0 };
  connection.on('flush', () => {
    given = queued;
    queued = { bytes: 0, packets: 0 };
  });
  connection.on('packetCreate', ({ data = '' }: { data?: string | Buffer }) => {
    // Checked before this one is added, so that a single large batch is no reason.
    const { bytes, packets } = connection.transport.writable ? { bytes: 0, packets: 0 } : given;
    if (queued.bytes + bytes > UNREAD_BYTES || queued.packets + packets > UNREAD_PACKETS) {
      drop();
    }
    queued.bytes += Buffer.byteLength(data);
    queued.packets += 1;
  });

  // One is enough. Each makes a socket before any middleware is asked, and 65,536 bytes hold 20,000.
  let connects = 0;
  connection.on('packet', ({ type, data }: { type: string; data?: string | Buffer }) => {
    if (type === 'message' && typeof data === 'string' && data.startsWith('0')) {
      connects += 1;
      if (connects > CONNECTS) {
        connection.close(true);
      }
    }
  });
}
