import { fileURLToPath } from 'node:url';
import express, { type ErrorRequestHandler, type Express, type RequestHandler, Router } from 'express';
import { jsonBody } from './body.ts';
import { Problem } from './problem.ts';
import type { Room } from './room.ts';
import { pollFrom, postFrom } from './rules.ts';
import type { Sockets } from './sockets.ts';

const VIEWS = fileURLToPath(new URL('../views', import.meta.url));
const SHARED = fileURLToPath(new URL('../../_shared/chat-page', import.meta.url));
const ASSETS = ['chat.js', 'room.js', 'chat.css', 'icon.svg', 'socket.io.js'];

const PAGE_POLICY = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The application with all its routes. */
export function createApp(room: Room, sockets: Sockets): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  // The question mark of its own keeps URLSearchParams from dropping one that is part of a name.
  app.set('query parser', (query: string | null) => new URLSearchParams(`?${query ?? ''}`));
  app.set('views', VIEWS);
  app.set('view engine', 'pug');
  app.enable('view cache');
  app.use(decodePath, ignoreConditions, routes(room, sockets));
  app.use(() => {
    throw new Problem(404, 'No such resource.');
  });
  app.use(answerWithProblem);
  return app;
}

function routes(room: Room, sockets: Sockets): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/healthz')
    .get((_request, response) => {
      response.json({ status: 'ok' });
    })
    .all(refuse('GET, HEAD'));

  router
    .route('/')
    .get((_request, response) => {
      response.set({ 'Content-Security-Policy': PAGE_POLICY, 'X-Content-Type-Options': 'nosniff' });
      response.render('index', { transport: 'socket.io-batched' });
    })
    .all(refuse('GET, HEAD'));

  router
    .route(ASSETS.map((name) => `/assets/${name}`))
    .get((request, response) => {
      response.set('X-Content-Type-Options', 'nosniff');
      response.sendFile(request.path, {
        root: SHARED,
        acceptRanges: false,
        cacheControl: false,
        etag: false,
        lastModified: false,
      });
    })
    .all(refuse('GET, HEAD'));

  router
    .route('/messages')
    .get((request, response) => {
      const { after } = pollFrom(request.query as unknown as URLSearchParams);
      response.json({ room: room.name, messages: room.since(after), last: room.last });
    })
    // #region chat.post-message
    .post(jsonBody, (request, response) => {
      const { user, text } = postFrom(request.body);
      const message = room.post(user, text);
      sockets.deliver(message);
      response.status(201).json({ room: room.name, ...message });
    })
    // #endregion chat.post-message
    .all(refuse('GET, HEAD, POST'));

  router
    .route('/presence')
    .get((_request, response) => {
      response.json({ room: room.name, users: room.users() });
    })
    .all(refuse('GET, HEAD'));

  return router;
}

/** Routes match what is left after percent-decoding; what cannot be decoded stays as it is. */
const decodePath: RequestHandler = (request, _response, next) => {
  const [, path, query = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)(.*)$/is.exec(request.url) ?? [];
  request.url = (path || '/').split('/').map(decoded).map(encodeURIComponent).join('/') + query;
  next();
};

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Express would answer them with 304 or 412. */
const ignoreConditions: RequestHandler = (request, _response, next) => {
  for (const name of ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since']) {
    delete request.headers[name];
  }
  next();
};

function refuse(allow: string): RequestHandler {
  return () => {
    throw new Problem(405, 'Method not allowed.', { Allow: allow });
  };
}

const answerWithProblem: ErrorRequestHandler = (error, request, response, _next) => {
  // With the connection gone, nobody is left to be told.
  if (request.errored) {
    return;
  }
  const problem = problemOf(error);
  response.status(problem.status).set(problem.headers).type('application/problem+json').json(problem.body);
};

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) {
    return error;
  }
  console.error(String(error instanceof Error ? error.stack : error).replaceAll(/\s*\n\s*/g, ' | '));
  return new Problem(500, 'Internal server error.');
}
