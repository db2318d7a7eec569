import { createServer, type RequestListener, type Server } from 'node:http';
import { refuseConnect, refuseInTurn } from './pipelining.ts';

/** Node's HTTP server, with its limits. */
export function createHttpServer(app: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 20_000, // head and body
      connectionsCheckingInterval: 2_000, // how often Node looks for them
      keepAliveTimeout: 50_000,
      requireHostHeader: false, // refused in turn: see framing.ts
      joinDuplicateHeaders: true, // two Host fields become one that is refused
    },
    app,
  );
  server.on('clientError', refuseInTurn);
  server.on('connect', refuseConnect);
  server.setTimeout(25_000); // for a client that does not read its answer
  server.maxConnections = 5_000;
  // Else the primary of a cluster hands a connection from one full worker to the next, again and again.
  Object.assign(server, { dropMaxConnection: true }); // not in @types/node
  return server;
}
