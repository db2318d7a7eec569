import { createServer, type Server } from 'node:http';
import type { Express } from 'express';
import { inTurn, refuseConnect, refuseInTurn } from './pipelining.ts';

/** Node's HTTP server, with its limits. */
export function createHttpServer(app: Express): Server {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 15 * 60_000, // head and body: a large file on a slow line takes its time
      connectionsCheckingInterval: 2_000, // how often Node looks for them
      keepAliveTimeout: 50_000,
      requireHostHeader: false, // refused in turn: see framing.ts
      joinDuplicateHeaders: true, // two Host fields become one that is refused
    },
    inTurn(app),
  );
  server.on('clientError', refuseInTurn);
  server.on('connect', refuseConnect);
  server.setTimeout(45_000); // without a byte in either direction
  // Node has no limit for a client that reads a few bytes now and then.
  server.on('request', (_request, response) => {
    const timer = setTimeout(() => response.destroy(), 15 * 60_000);
    response.once('close', () => clearTimeout(timer));
  });
  server.maxConnections = 500;
  return server;
}
