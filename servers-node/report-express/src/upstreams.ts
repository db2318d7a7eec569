import { Agent, type ClientRequest, get, type IncomingMessage } from 'node:http';
import { type Item, itemsFrom } from './items.ts';

/** An upstream that is away, or whose answer is not the one that it should give. */
export class BadUpstream extends Error {
  override readonly name = 'BadUpstream';
}

/** An upstream that is too slow. */
export class UpstreamTimeout extends Error {
  override readonly name = 'UpstreamTimeout';
  override readonly message = 'timed out';
}

interface Upstream {
  readonly url: URL;
  readonly type: string;
  readonly limit: number;
  /** Whether its last exchange failed: an outage is one line, not one per request. */
  away: boolean;
}

const TODO_LIMIT = 1024 * 1024;
const IMAGE_LIMIT = 16 * 1024 * 1024;

/** The two services that a report is made of. */
export class Upstreams {
  readonly #todo: Upstream;
  readonly #raytracer: Upstream;
  readonly #timeoutMs: number;
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });

  constructor(todoUrl: URL, raytracerUrl: URL, timeoutMs: number) {
    const todos = new URL('/todos?limit=100', todoUrl);
    const render = new URL('/render?width=320&height=240&depth=3', raytracerUrl);
    this.#todo = { url: todos, type: 'application/json', limit: TODO_LIMIT, away: false };
    this.#raytracer = { url: render, type: 'image/png', limit: IMAGE_LIMIT, away: false };
    this.#timeoutMs = timeoutMs;
  }

  // #region report.fetch-both
  /** Asks both at the same time. The first failure is thrown at once, and what is unfinished then, of either, is cut. */
  async fetchBoth(clientGone: AbortSignal): Promise<[Item[], Buffer]> {
    const failed = new AbortController();
    const cut = AbortSignal.any([failed.signal, clientGone]);
    try {
      return await Promise.all([
        this.#ask(this.#todo, cut, itemsFrom),
        this.#ask(this.#raytracer, cut, (image) => image),
      ]);
    } finally {
      failed.abort();
    }
  }

  /** One exchange with what it is read as; the time-out is for all of it, from connecting to the last byte. */
  async #ask<T>(upstream: Upstream, cut: AbortSignal, read: (body: Buffer) => T): Promise<T> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.#timeoutMs);
    try {
      const response = await this.#send(upstream.url, AbortSignal.any([cut, late.signal]));
      const result = read(await rightBody(response, upstream));
      upstream.away = false;
      return result;
    } catch (error) {
      const failure = late.signal.aborted ? new UpstreamTimeout() : new BadUpstream((error as Error).message);
      if (!cut.aborted && !upstream.away) {
        upstream.away = true;
        console.error(`${upstream.url}: ${failure.message}`);
      }
      throw failure;
    } finally {
      clearTimeout(timer);
    }
  }
  // #endregion report.fetch-both

  /** The response, its body still to come. */
  async #send(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
    const request = get(url, { agent: this.#agent, signal });
    try {
      return await responseTo(request);
    } catch (error) {
      // The upstream may have closed an idle connection while this request was on its way.
      if (request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')) {
        return responseTo(get(url, { agent: false, signal }));
      }
      throw error;
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}

function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.once('response', (response) => {
      // Without this a reset would look like the end of a body of unstated length.
      request.on('error', (error) => response.destroy(error));
      resolve(response);
    });
  });
}

/** The whole body of a response that is right; throws as soon as it is known to be wrong. */
async function rightBody(response: IncomingMessage, { type, limit }: Upstream): Promise<Buffer> {
  const { 'content-type': given = '', 'content-encoding': coding = 'identity' } = response.headers;
  if (response.statusCode !== 200) {
    throw new Error(`status ${response.statusCode}`);
  }
  if (given.split(';', 1)[0]?.trim().toLowerCase() !== type || coding.trim().toLowerCase() !== 'identity') {
    throw new Error(`Content-Type ${given}, Content-Encoding ${coding}`);
  }
  if (Number(response.headers['content-length']) > limit) {
    throw new Error('body too large');
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) {
      throw new Error('body too large');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
