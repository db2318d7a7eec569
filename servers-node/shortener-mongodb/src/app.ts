import { randomInt } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Problem, sendEmpty, sendJson, sendProblem } from './answers.ts';
import { parseJson, readBody } from './body.ts';
import { type LinkStore, StoreUnavailable } from './store.ts';

/** `segment` is the last one of the path. */
type Handler = (request: IncomingMessage, response: ServerResponse, segment: string) => Promise<void>;
type Route = ReadonlyMap<string, Handler>;

const HASH = /^[0-9A-Za-z]{6}$/;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const INSERT_ATTEMPTS = 5;

const URL_PATTERN = /^https?:\/\/[A-Za-z0-9._-]+(:[0-9]{1,5})?([/?#][!-~]*)?$/i;
const URL_LIMIT = 2048;

/** The server with all its routes, not yet listening. */
export function createApp(store: LinkStore): Server {
  const routes = {
    '/healthz': reading(health),
    '/links': new Map([['POST', create]]),
    '/links/{hash}': reading(show),
    '/{hash}': reading(lookup),
  } satisfies Record<string, Route>;

  async function health(_request: IncomingMessage, response: ServerResponse): Promise<void> {
    await store.ping();
    sendJson(response, 200, { status: 'ok' });
  }

  // #region shortener.lookup
  async function lookup(_request: IncomingMessage, response: ServerResponse, hash: string): Promise<void> {
    const url = HASH.test(hash) ? await store.find(hash) : undefined;
    if (url === undefined) {
      sendEmpty(response, 404);
      return;
    }
    response.writeHead(301, { Location: url, 'Content-Length': 0 }).end();
  }
  // #endregion shortener.lookup

  async function show(_request: IncomingMessage, response: ServerResponse, hash: string): Promise<void> {
    const url = HASH.test(hash) ? await store.find(hash) : undefined;
    if (url === undefined) {
      throw new Problem(404, 'No such link.');
    }
    sendJson(response, 200, { hash, url });
  }

  // #region shortener.create
  async function create(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = urlFrom(await readJson(request));
    for (let attempt = 1; attempt <= INSERT_ATTEMPTS; attempt += 1) {
      const hash = Array.from({ length: 6 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
      if (await store.insert(hash, url)) {
        sendJson(response, 201, { hash, url }, { Location: `/${hash}` });
        return;
      }
    }
    throw new Error(`no free hash in ${INSERT_ATTEMPTS} attempts`);
  }
  // #endregion shortener.create

  /** The route of a request target, and the last segment of its path. */
  function find(target: string): [Route, string] {
    const [path = ''] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1);
    const [root, first = '', second, ...deeper] = path.split('/').map(decode);
    if (root === '' && first !== '' && second === undefined) {
      return [first === 'healthz' || first === 'links' ? routes[`/${first}`] : routes['/{hash}'], first];
    }
    if (root === '' && first === 'links' && second && deeper.length === 0) {
      return [routes['/links/{hash}'], second];
    }
    throw new Problem(404, 'No such resource.');
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const [route, segment] = find(request.url as string);
      const handler = route.get(request.method as string);
      if (handler === undefined) {
        throw new Problem(405, 'Method not allowed.', { Allow: [...route.keys()].join(', ') });
      }
      await handler(request, response, segment);
    } catch (error) {
      // With the connection gone, nobody is left to be told.
      if (!request.errored) {
        sendProblem(response, problemOf(error));
      }
    }
  }

  return createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 20_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 75_000,
      optimizeEmptyRequests: true,
    },
    handle,
  );
}

function reading(handler: Handler): Route {
  return new Map([
    ['GET', handler],
    ['HEAD', handler],
  ]);
}

/** Percent-decoded; left as it is if that cannot be done, for it is no name of anything then. */
function decode(segment: string): string {
  if (!segment.includes('%')) {
    return segment;
  }
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const { 'content-type': type = '', 'content-encoding': coding = 'identity' } = request.headers;
  if (!/^application\/json[ \t]*(;|$)/i.test(type) || coding.toLowerCase() !== 'identity') {
    throw new Problem(415, 'Content-Type must be application/json.');
  }
  const body = await readBody(request);
  if (body === undefined) {
    throw new Problem(413, 'Request body too large.');
  }
  try {
    return parseJson(body);
  } catch {
    throw new Problem(400, 'Request body is not valid JSON.');
  }
}

function urlFrom(body: unknown): string {
  if (typeof body !== 'object' || body === null || Object.keys(body).join() !== 'url' || !('url' in body)) {
    throw new Problem(400, 'Request body must be an object with the one member url.');
  }
  const { url } = body;
  // The pattern allows ASCII alone, so that the length is the number of bytes.
  if (typeof url !== 'string' || url.length > URL_LIMIT || !URL_PATTERN.test(url)) {
    throw new Problem(400, 'url must be an absolute http or https URL of at most 2048 bytes.');
  }
  return url;
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) {
    return error;
  }
  if (error instanceof StoreUnavailable) {
    return new Problem(503, 'Service unavailable.', { 'Retry-After': 1 });
  }
  console.error(String(error instanceof Error ? error.stack : error).replaceAll(/\s*\n\s*/g, ' | '));
  return new Problem(500, 'Internal server error.');
}
