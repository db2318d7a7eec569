import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { Server } from 'socket.io';
import { createApp } from './app.ts';
import { serveChat } from './chat.ts';
import { limitConnects, limitUnsent } from './connection-limits.ts';
import { batched, type Delivery, each } from './delivery.ts';
import type { ChatServer } from './events.ts';
import { closeAfterUpgrade, refuseUnsoundFraming } from './framing.ts';
import { onlyGetAndPost } from './methods.ts';
import { inTurn, isAnswerDue, refuseConnect, refuseInTurn } from './pipelining.ts';
import { Room } from './room.ts';

const MAX_CONNECTIONS = 5_000;

interface Chat {
  server: HttpServer;
  io: ChatServer;
  delivery: Delivery;
}

/** Node's HTTP server, with Express and Socket.IO on it, and their limits. */
export function createChatServer(mode: 'each' | 'batched', logger: Logger): Chat {
  const io: ChatServer = new Server({
    serveClient: false, // the page has its own
    pingInterval: 5_000,
    pingTimeout: 5_000,
    maxHttpBufferSize: 64 * 1024,
    // No new sessions beyond a limit, nor on a connection that outlives the stop.
    allowRequest: (_request, decide) => decide(null, server.listening && io.engine.clientsCount < MAX_CONNECTIONS),
  });
  const room = new Room();
  const delivery = mode === 'each' ? each(io) : batched(io);
  serveChat(io, room, delivery);

  const transport = mode === 'each' ? 'socket.io' : 'socket.io-batched';
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 20_000, // head and body
      connectionsCheckingInterval: 2_000, // how often Node looks for them
      keepAliveTimeout: 50_000,
      requireHostHeader: false, // refused in turn: see framing.ts
      shouldUpgradeCallback: ({ url = '', socket }) => url.startsWith('/socket.io/') && !isAnswerDue(socket),
    },
    createApp(room, delivery, transport, logger),
  );
  server.on('clientError', refuseInTurn);
  server.on('connect', refuseConnect);
  server.setTimeout(25_000); // for a client that does not read its answer
  server.maxConnections = MAX_CONNECTIONS;

  io.attach(server);
  const [serve] = server.listeners('request') as [RequestListener]; // Express and Socket.IO
  server.removeAllListeners('request');
  server.on(
    'request',
    inTurn((request, response) => {
      closeAfterUpgrade(request, response);
      serve(request, response);
    }),
  );
  // Node has no limit for a client that reads a few bytes now and then.
  server.on('request', (_request, response) => {
    const timer = setTimeout(() => response.destroy(), 60_000);
    response.once('close', () => clearTimeout(timer));
  });
  io.engine.use(refuseUnsoundFraming);
  io.engine.use(onlyGetAndPost);
  io.engine.on('connection', limitUnsent);
  io.engine.on('connection', limitConnects);
  return { server, io, delivery };
}
