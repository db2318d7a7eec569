import { createServer, type Server } from 'node:http';
import type { Express } from 'express';
import { inTurn, refuseConnect, refuseInTurn } from './pipelining.ts';

/** Node's HTTP server, with its limits. */
export function createHttpServer(app: Express): Server {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 20_000, // head and body
      connectionsCheckingInterval: 2_000, // how often Node looks for them
      keepAliveTimeout: 50_000,
      requireHostHeader: false, // refused in turn: see framing.ts
      joinDuplicateHeaders: true, // two Host fields become one that is refused
    },
    inTurn(app),
  );
  server.on('clientError', refuseInTurn);
  server.on('connect', refuseConnect);
  server.setTimeout(25_000); // for a client that does not read its answer
  // Node has no limit for a client that reads a few bytes now and then. A stream of events has an end of its own.
  server.on('request', (_request, response) => {
    const isStream = () => `${response.getHeader('Content-Type')}`.startsWith('text/event-stream');
    const timer = setTimeout(() => isStream() || response.destroy(), 60_000);
    response.once('close', () => clearTimeout(timer));
  });
  server.maxConnections = 5_000;
  return server;
}
