import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestHandler } from 'express';

const MAX_PER_CONNECTION = 100;
const MAX_WAITING = 1_000;

/** By connection: the answers that are due, in order, and the newest, which may have been given. */
const lines = new WeakMap<Duplex, { due: ServerResponse[]; newest: ServerResponse }>();
let waiting = 0;

/**
 * Requests of one connection are served one after the other. Node serves all pipelined requests at once
 * (nodejs/node#50850): a few clients that do not read fill the memory.
 */
export const inTurn: RequestHandler = ({ socket }, response, next) => {
  let line = lines.get(socket);
  if (!line) {
    line = { due: [], newest: response };
    lines.set(socket, line);
  }
  line.newest = response;
  const { due } = line;
  const previous = due.at(-1);
  due.push(response);
  response.once('close', () => due.shift());

  if (!previous) {
    next();
  } else if (waiting === MAX_WAITING) {
    socket.destroy();
  } else {
    const isOneTooMany = due.length > MAX_PER_CONNECTION;
    waiting += 1;
    previous.once('close', () => {
      waiting -= 1;
      if (isOneTooMany) {
        socket.destroySoon(); // those before it are answered
      } else if (socket.writable) {
        next();
      } // else the connection has ended: nothing is done for a request that gets no answer
    });
  }
};

const STATUS: Record<string, number> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

/**
 * Refuses what Node cannot read, once the requests before it are answered. Node refuses it at once, and the client
 * takes that for the answer to an earlier request.
 */
export function refuseInTurn(error: NodeJS.ErrnoException, socket: Duplex): void {
  const { due = [], newest } = lines.get(socket) ?? {};
  const lastWhole = due.findLast((response) => response.req.complete);
  if (lastWhole) {
    socket.pause();
    lastWhole.once('close', () => socket.destroy());
    return;
  }
  if (socket.writable && !(newest && isAnsweredWithoutItsBody(newest))) {
    const status = STATUS[error.code ?? ''] ?? 400;
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`);
  }
  socket.destroy();
}

/** Refuses CONNECT, for which Node takes its own listeners off the socket and forgets the requests before it. */
export function refuseConnect(_request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => {}); // its client has left
  socket.on('timeout', () => socket.destroy());
  socket.once('close', () => {
    for (const response of [...(lines.get(socket)?.due ?? [])]) {
      response.destroy();
    }
  });
  refuseInTurn(new Error('CONNECT'), socket);
}

/** The body has broken off, but no handler waits for it: the request is answered, or is being served. */
function isAnsweredWithoutItsBody({ req, headersSent }: ServerResponse): boolean {
  return !req.complete && (headersSent || req.readableFlowing === null);
}
