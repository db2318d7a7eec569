import { randomInt } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { availableParallelism } from 'node:os';
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { draw } from '../../_shared/xorshift/src/xorshift.ts';
import type { Compression } from './compression.ts';
import { Busy, type Drawer } from './drawer.ts';
import type { Log } from './log.ts';
import { Problem } from './problem.ts';

const MOST_DRAWS = 100_000_000;
const LARGEST_SEED = 2 ** 32 - 1;

/** The application with all its routes. */
export function createApp(drawer: Drawer, compression: Compression, log: Log): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.disable('query parser');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use(decodePath);

  app
    .route('/healthz')
    .get((request, response) => send(request, response, 200, { status: 'ok' }))
    .all(refuse);

  app
    .route('/info')
    .get((request, response) => send(request, response, 200, info()))
    .all(refuse);

  app
    .route('/randoms')
    .get(async (request, response) => {
      const { count, seed } = drawFrom(request.url);
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      const counts = await drawer.draw(count, seed, gone.signal);
      if (counts) {
        await sendCounts(request, response, count, counts);
      }
    })
    .all(refuse);

  app
    .route('/randoms/sync')
    .get((request, response) => {
      const { count, seed } = drawFrom(request.url);
      return sendCounts(request, response, count, draw(count, seed));
    })
    .all(refuse);

  app.use(() => {
    throw new Problem(404, 'No such resource.');
  });
  app.use(answerWithProblem);
  return app;

  async function sendCounts(request: Request, response: Response, count: number, counts: Uint32Array): Promise<void> {
    const result = { count, counts: drawn(counts) };
    log.write(result);
    await send(request, response, 200, result);
  }

  // Node's own writeHead and end: Express's send would answer conditional requests with 304 by itself.
  async function send(
    request: Request,
    response: Response,
    status: number,
    value: object,
    fields: OutgoingHttpHeaders = { 'Content-Type': 'application/json' },
  ): Promise<void> {
    const { headers, body } = await compression.encode(request, JSON.stringify(value));
    response.writeHead(status, { ...fields, ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
  }

  // Express takes a function of four parameters for one that handles errors.
  async function answerWithProblem(
    error: unknown,
    request: Request,
    response: Response,
    _next: NextFunction,
  ): Promise<void> {
    // With the connection gone, nobody is left to be told.
    if (response.destroyed) {
      return;
    }
    const { status, headers, body } = problemOf(error);
    await send(request, response, status, body, { 'Content-Type': 'application/problem+json', ...headers });
  }
}

/** Routes match what is left after percent-decoding; what cannot be decoded stays as it is. */
function decodePath(request: Request, _response: Response, next: NextFunction): void {
  const [, path = '', query = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)(.*)$/is.exec(request.url) ?? [];
  request.url = (path.split('/').map(decoded).map(encodeURIComponent).join('/') || '/') + query;
  next();
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const refuse: RequestHandler = () => {
  throw new Problem(405, 'Method not allowed.', { Allow: 'GET, HEAD' });
};

function info(): object {
  return {
    arguments: process.argv.slice(2),
    platform: process.platform,
    runtime: `Node.js ${process.versions.node}`,
    pid: process.pid,
    cpus: availableParallelism(),
    memory: { rss: process.memoryUsage.rss() },
  };
}

/** What is asked for. Count is checked before seed; of a parameter that is given twice, the first counts. */
function drawFrom(url: string): { count: number; seed: number } {
  const query = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : '');
  const integer = (name: string, least: number, most: number): number | undefined => {
    const text = query.get(name);
    if (text === null) {
      return undefined;
    }
    const value = Number(text);
    if (!/^(0|[1-9][0-9]*)$/.test(text) || value < least || value > most) {
      throw new Problem(400, `${name} must be an integer from ${least} to ${most}.`);
    }
    return value;
  };
  const count = integer('count', 0, MOST_DRAWS) ?? MOST_DRAWS;
  const seed = integer('seed', 1, LARGEST_SEED) ?? randomInt(1, LARGEST_SEED + 1);
  return { count, seed };
}

/** The numbers that were drawn, ascending: an object's members that are integers always are. */
function drawn(counts: Uint32Array): Record<number, number> {
  const numbers: Record<number, number> = {};
  counts.forEach((count, index) => {
    if (count > 0) {
      numbers[index + 1] = count;
    }
  });
  return numbers;
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) {
    return error;
  }
  if (error instanceof Busy) {
    return new Problem(503, 'Service unavailable.', { 'Retry-After': 1 });
  }
  console.error(String(error instanceof Error ? error.stack : error).replaceAll(/\s*\n\s*/g, ' | '));
  return new Problem(500, 'Internal server error.');
}
