import { join } from 'node:path';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { Problem } from './problem.ts';
import { FileStore, isFull } from './store.ts';
import { checkHead, type Limits, receiveFiles } from './upload.ts';

const PUBLIC = join(import.meta.dirname, '../public');
/** No ETag and no other field that the contract does not list; and no part of a file. */
const PLAIN = { acceptRanges: false, cacheControl: false, etag: false, lastModified: false };
const UNREAD_BYTES = 16 * 1024 * 1024;
const UNREAD_MS = 30_000;

/** The application with all its routes. */
export function createApp(store: FileStore, limits: Limits): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use(readOn, decodePath, ignoreConditions);

  app
    .route('/')
    .get((_request, response) => response.sendFile('index.html', { ...PLAIN, root: PUBLIC }))
    .all(refuse('GET, HEAD'));

  app
    .route('/healthz')
    .get((_request, response) => {
      response.json({ status: 'ok' });
    })
    .all(refuse('GET, HEAD'));

  app
    .route('/uploads')
    .post(checkHead(limits), receiveFiles(store, limits), async (request, response) => {
      const files = request.files as Express.Multer.File[];
      await store.keep(files.map(({ id }) => id));
      response.status(201).json({ files: files.map(({ id, originalname: name, size }) => ({ id, name, size })) });
    })
    .all(refuse('POST'));

  app
    .route('/uploads/:id')
    // #region upload.send-file
    .get((request, response, next) => {
      const { id } = request.params;
      if (!FileStore.isId(id)) {
        throw noSuchUpload();
      }
      const headers = {
        'Content-Type': 'application/octet-stream',
        'Content-Disposition': 'attachment',
        'X-Content-Type-Options': 'nosniff',
      };
      response.sendFile(id, { ...PLAIN, root: store.folder, headers }, (error) => {
        if (error) {
          next((error as { status?: number }).status === 404 ? noSuchUpload() : error);
        }
      });
    })
    // #endregion upload.send-file
    .delete(async (request, response) => {
      if (!(await store.delete(request.params.id))) {
        throw noSuchUpload();
      }
      response.status(204).end();
    })
    .all(refuse('GET, HEAD, DELETE'));

  app.use(() => {
    throw new Problem(404, 'No such resource.');
  });
  app.use(answerWithProblem);
  return app;
}

/** An early answer must reach a client that is still sending: what is left of its body is read, but not for ever. */
const readOn: RequestHandler = (request, response, next) => {
  response.once('finish', () => {
    if (!request.complete) {
      let unread = UNREAD_BYTES;
      request.on('data', (chunk: Buffer) => {
        unread -= chunk.length;
        if (unread < 0) {
          request.destroy();
        }
      });
      const timer = setTimeout(() => request.destroy(), UNREAD_MS);
      request.once('close', () => clearTimeout(timer));
    }
  });
  next();
};

/** Routes match what is left after percent-decoding; what cannot be decoded stays as it is. */
const decodePath: RequestHandler = (request, _response, next) => {
  const [, path = '', query = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)(.*)$/is.exec(request.url) ?? [];
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

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) {
    return error;
  }
  if (isFull(error)) {
    return new Problem(507, 'Insufficient storage.');
  }
  console.error(String(error instanceof Error ? error.stack : error).replaceAll(/\s*\n\s*/g, ' | '));
  return new Problem(500, 'Internal server error.');
}

function noSuchUpload(): Problem {
  return new Problem(404, 'No such upload.');
}

const answerWithProblem: ErrorRequestHandler = (error, request, response, _next) => {
  // With the connection gone, nobody is left to be told.
  if (request.socket.destroyed) {
    return;
  }
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const problem = problemOf(error);
  response.status(problem.status).set(problem.headers).type('application/problem+json').json(problem.body);
};
