import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { Problem, sendJson, sendPage, sendProblem } from './answers.ts';
import { reportPage } from './page.ts';
import { BadUpstream, type Upstreams, UpstreamTimeout } from './upstreams.ts';

/** The application with all its routes, not yet listening. */
export function createApp(upstreams: Upstreams): express.Express {
  const app = express();
  app.disable('x-powered-by');
  app.enable('strict routing');
  app.enable('case sensitive routing');

  app.use(plainPath);
  app.route('/healthz').get(health).all(notAllowed);
  app.route('/report').get(report).all(notAllowed);
  app.use(() => {
    throw new Problem(404, 'No such resource.');
  });
  app.use(answerError);
  return app;

  async function report(_request: Request, response: Response): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const [items, image] = await upstreams.fetchBoth(gone.signal);
    sendPage(response, reportPage(items, image));
  }
}

function health(_request: Request, response: Response): void {
  sendJson(response, { status: 'ok' });
}

const notAllowed: RequestHandler = () => {
  throw new Problem(405, 'Method not allowed.', { Allow: 'GET, HEAD' });
};

/** Routes are matched as they are spelled: a path is given its plainest spelling, so that `/%72eport` is `/report`. */
function plainPath(request: Request, _response: Response, next: NextFunction): void {
  const [path = ''] = request.url.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1);
  try {
    request.url = path.split('/').map(decodeURIComponent).map(encodeURIComponent).join('/') || '/';
  } catch {
    // What cannot be decoded is no name of anything.
  }
  next();
}

// Express takes a function of four parameters for one that handles errors.
function answerError(error: unknown, _request: Request, response: Response, _next: NextFunction): void {
  // With the connection gone, nobody is left to be told.
  if (!response.destroyed) {
    sendProblem(response, problemOf(error));
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) {
    return error;
  }
  if (error instanceof BadUpstream) {
    return new Problem(502, 'Bad upstream response.');
  }
  if (error instanceof UpstreamTimeout) {
    return new Problem(504, 'Upstream timed out.');
  }
  console.error(String(error instanceof Error ? error.stack : error).replaceAll(/\s*\n\s*/g, ' | '));
  return new Problem(500, 'Internal server error.');
}
