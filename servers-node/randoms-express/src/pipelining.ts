import { type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

const MAX_PER_CONNECTION = 100;
const MAX_WAITING = 1_000;

/** By connection: the answers that are due, in order; the newest, which may have been given; how many get none. */
const lines = new WeakMap<Duplex, { due: ServerResponse[]; newest: ServerResponse; tooMany: number }>();
let waiting = 0;

/**
 * Requests of one connection are served one after the other. Node serves all pipelined requests at once
 * (nodejs/node#50850): a few clients that do not read fill the memory.
 */
export function inTurn(serve: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket) ?? { due: [], newest: response, tooMany: 0 };
    lines.set(socket, line);
    line.newest = response;
    const { due } = line;
    const previous = due.at(-1);
    if (previous && (waiting === MAX_WAITING || line.tooMany === MAX_WAITING)) {
      socket.destroy(); // Node goes on with what it has read, 64 KiB at most
      return;
    }
    if (due.length === MAX_PER_CONNECTION || line.tooMany > 0) {
      line.tooMany += 1;
      if (line.tooMany === 1) {
        previous?.once('close', () => socket.destroySoon()); // those before it are answered
      }
      return;
    }
    due.push(response);
    response.once('close', () => due.shift());

    if (!previous) {
      serve(request, response);
      return;
    }
    waiting += 1;
    previous.once('close', () => {
      waiting -= 1;
      if (socket.writable) {
        serve(request, response);
      } // else the connection has ended: nothing is done for a request that gets no answer
    });
  };
}

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
