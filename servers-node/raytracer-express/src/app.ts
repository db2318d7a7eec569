import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { Size } from './picture.ts';
import { Problem } from './problem.ts';
import { Busy, type Renderer } from './renderer.ts';

/** The application with all its routes. */
export function createApp(renderer: Renderer): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.disable('query parser');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use(decodePath);

  app
    .route('/healthz')
    .get((_request, response) => {
      send(response, 200, JSON.stringify({ status: 'ok' }), { 'Content-Type': 'application/json' });
    })
    .all(refuse);

  app
    .route('/render')
    .get(async (request, response) => {
      const size = sizeFrom(request.url);
      if (request.method === 'HEAD') {
        // The length would be known only after all the work; a HEAD answer may leave it out (RFC 9110, 9.3.2).
        response.writeHead(200, { 'Content-Type': 'image/png' }).end();
        return;
      }
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      const png = await renderer.render(size, gone.signal);
      if (png && !gone.signal.aborted) {
        send(response, 200, png, { 'Content-Type': 'image/png' });
      }
    })
    .all(refuse);

  app.use(() => {
    throw new Problem(404, 'No such resource.');
  });
  app.use(answerWithProblem);
  return app;
}

/** Node's own writeHead and end: Express's send would answer conditional requests with 304 by itself. */
function send(response: ServerResponse, status: number, body: string | Uint8Array, headers: OutgoingHttpHeaders): void {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
}

/** Routes match what is left after percent-decoding; what cannot be decoded stays as it is. */
const decodePath: RequestHandler = (request, _response, next) => {
  const [, path = '', query = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)(.*)$/is.exec(request.url) ?? [];
  request.url = (path.split('/').map(decoded).map(encodeURIComponent).join('/') || '/') + query;
  next();
};

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

function sizeFrom(url: string): Size {
  const query = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : '');
  const integer = (name: string, least: number, most: number): number => {
    const text = query.get(name) ?? '';
    const value = Number(text);
    if (!/^(0|[1-9][0-9]*)$/.test(text) || value < least || value > most) {
      throw new Problem(400, `${name} must be an integer from ${least} to ${most}.`);
    }
    return value;
  };
  // The order in which errors are looked for.
  return { width: integer('width', 1, 1920), height: integer('height', 1, 1080), depth: integer('depth', 0, 10) };
}

// Express takes a function of four parameters for one that handles errors.
const answerWithProblem: ErrorRequestHandler = (error, _request, response, _next) => {
  // With the connection gone, nobody is left to be told.
  if (response.destroyed) {
    return;
  }
  const { status, headers, body } = problemOf(error);
  send(response, status, JSON.stringify(body), { 'Content-Type': 'application/problem+json', ...headers });
};

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
