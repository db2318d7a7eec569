import type { Event, Socket } from 'socket.io';

type Connection = Socket['conn'];

const EVENTS_PER_SECOND = 50;
const CONNECTS = 10;
const UNSENT_BYTES = 1024 * 1024;
const UNSENT_PACKETS = 2_000;

/** By connection: when its last fifty events came. A connection may have several sockets, one after the other. */
const times = new WeakMap<Connection, number[]>();

/** A middleware that refuses the 51st event within a second. */
export function limitEvents(connection: Connection): (event: Event, next: (error?: Error) => void) => void {
  const mine = times.get(connection) ?? [];
  times.set(connection, mine);
  return (_event, next) => {
    const now = performance.now();
    mine.push(now);
    const fiftyAgo = mine.length > EVENTS_PER_SECOND ? mine.shift() : undefined;
    next(fiftyAgo !== undefined && now - fiftyAgo < 1_000 ? new Error('Too many events.') : undefined);
  };
}

/** Drops a client that does not read: Socket.IO keeps for it whatever it is sent. */
export function limitUnsent(connection: Connection): void {
  let bytes = 0;
  let packets = 0;
  connection.on('packetCreate', ({ data = '' }: { data?: string | Buffer }) => {
    // The packet itself does not count yet: one large batch is no reason.
    if (bytes > UNSENT_BYTES || packets > UNSENT_PACKETS) {
      setImmediate(() => connection.close(true)); // not in the middle of a broadcast
    }
    bytes += Buffer.byteLength(data);
    packets += 1;
  });
  connection.on('drain', () => {
    bytes = 0;
    packets = 0;
  });
}

/** Ends a connection that connects again and again: each CONNECT makes a socket, and 64 KiB have room for 20,000. */
export function limitConnects(connection: Connection): void {
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
