import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import createError, { isHttpError } from 'http-errors';
import type { Logger } from 'pino';
import { ZodError } from 'zod';
import { sendJson, sendProblem } from './answers.ts';
import { refuseUnsoundFraming } from './framing.ts';
import { readJson } from './json-body.ts';
import { NewLink } from './link.ts';
import type { Links } from './links.ts';
import { inTurn } from './pipelining.ts';

/** What answers requests. */
export function createApp(links: Links, logger: Logger): RequestListener {
  return inTurn(handle);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      refuseUnsoundFraming(request, response);
      await route(request, response);
    } catch (error) {
      if (request.errored) {
        return; // its client has left
      }
      if (error instanceof ZodError) {
        sendProblem(response, 400, error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; '));
      } else if (isHttpError(error)) {
        sendProblem(response, error.status, error.message);
      } else {
        logger.error({ err: error, method: request.method, url: request.url }, 'request failed');
        sendProblem(response, 500, 'The server made a mistake.');
      }
    }
  }

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request;
    const [path = ''] = url.split('?', 1);
    if (method === 'POST' && path === '/links') {
      return create(request, response);
    }
    if (method === 'GET' || method === 'HEAD') {
      if (path === '/healthz') {
        return health(response);
      }
      const [, resource, hash] = /^\/(links\/)?([^/]+)$/.exec(path) ?? [];
      if (hash) {
        return resource ? show(response, hash) : lookup(response, hash);
      }
    }
    throw createError(404, 'No such resource.');
  }

  // #region shortener.lookup
  async function lookup(response: ServerResponse, hash: string): Promise<void> {
    const url = await links.find(hash);
    if (url) {
      response.writeHead(301, { Location: url, 'Content-Length': 0 }).end();
    } else {
      response.writeHead(404, { 'Content-Length': 0 }).end();
    }
  }
  // #endregion shortener.lookup

  async function show(response: ServerResponse, hash: string): Promise<void> {
    const url = await links.find(hash);
    if (!url) {
      throw createError(404, 'No such link.');
    }
    sendJson(response, 200, { hash, url });
  }

  // #region shortener.create
  async function create(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url } = NewLink.parse(await readJson(request));
    const hash = await links.add(url);
    sendJson(response, 201, { hash, url }, { 'Content-Type': 'application/json', Location: `/${hash}` });
  }
  // #endregion shortener.create

  async function health(response: ServerResponse): Promise<void> {
    await links.ping();
    sendJson(response, 200, { status: 'ok' });
  }
}
