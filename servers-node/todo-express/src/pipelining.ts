import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestHandler } from 'express';

const LIMIT = 256;

/** By connection: the answers that are due, in order, and the newest, which may have been given. */
const lines = new WeakMap<Duplex, { due: ServerResponse[]; newest: ServerResponse }>();

/**
 * Requests of one connection are served one after the other. Node would serve all that are pipelined at once
 * (nodejs/node#50850): a GET overtakes the POST before it, and a few clients that do not read fill the memory.
 */
export const inTurn: RequestHandler = ({ socket }, response, next) => {
  const due = lines.get(socket)?.due ?? [];
  lines.set(socket, { due, newest: response });
  const previous = due.at(-1);
  due.push(response);
  response.once('close', () => due.shift());

  if (due.length > LIMIT) {
    socket.destroy();
  } else if (previous) {
    previous.once('close', () => socket.destroyed || next());
  } else {
    next();
  }
};

const STATUS: Record<string, number> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

/**
 * Refuses what Node cannot read, once the requests before it are answered. Node would refuse it at once, and the client
 * would take that for the answer to an earlier request: a todo that was made would seem not to be.
 */
export function refuseInTurn(error: NodeJS.ErrnoException, socket: Duplex): void {
  const { due = [], newest } = lines.get(socket) ?? {};
  const before = due.findLast((response) => response.req.complete);
  if (before) {
    socket.pause();
    before.once('close', () => socket.destroy());
    return;
  }
  // A request that breaks off in its body is refused if it waits for that body; others are answered, or being served.
  const isServed = newest && !newest.req.complete && (newest.headersSent || !newest.req.readableFlowing);
  if (socket.writable && !isServed) {
    const status = STATUS[error.code ?? ''] ?? 400;
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`);
  }
  socket.destroy();
}
