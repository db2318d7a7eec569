import { MIMEType } from 'node:util';
import createError from 'http-errors';
import type { Logger } from 'pino';
import { Agent, fetch, type RequestInit, type Response } from 'undici';

/** An address of another server, with what is right about its answer. */
export class Upstream {
  readonly #url: URL;
  readonly #type: string;
  readonly #logger: Logger;
  readonly #kept: Agent;
  readonly #fresh: Agent;
  #away = false;

  constructor(url: URL, type: string, maxResponseSize: number, logger: Logger) {
    this.#url = url;
    this.#type = type;
    this.#logger = logger;
    // The signal of a request is its only time-out.
    const options = { connections: 64, maxResponseSize, headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 0 } };
    this.#kept = new Agent(options);
    this.#fresh = new Agent({ ...options, pipelining: 0 }); // closes each connection after its answer
  }

  // #region report.fetch-both
  /** What `read` makes of the answer. All that is wrong with it is a 502, the signal's reason if it was aborted. */
  async get<T>(signal: AbortSignal, read: (body: Buffer) => T): Promise<T> {
    try {
      const response = await this.#send({ signal, redirect: 'manual', headers: { 'Accept-Encoding': 'identity' } });
      const type = response.headers.get('Content-Type') ?? '';
      const isCoded = response.headers.has('Content-Encoding');
      if (response.status !== 200 || new MIMEType(type).essence !== this.#type || isCoded) {
        throw new Error(`status ${response.status}, ${type}`);
      }
      const value = read(Buffer.from(await response.arrayBuffer()));
      this.#reportBack();
      return value;
    } catch (error) {
      if (signal.reason !== OVER) {
        this.#reportAway(error);
      }
      throw signal.reason ?? createError(502, 'An upstream is away, or its answer is bad.');
    }
  }

  async #send(options: RequestInit): Promise<Response> {
    try {
      return await fetch(this.#url, { ...options, dispatcher: this.#kept });
    } catch (error) {
      // The upstream may close a connection at the moment in which it is used again (RFC 9112, 9.3.1).
      if (CLOSED.includes(((error as Error).cause as NodeJS.ErrnoException)?.code ?? '')) {
        return fetch(this.#url, { ...options, dispatcher: this.#fresh });
      }
      throw error;
    }
  }
  // #endregion report.fetch-both

  #reportBack(): void {
    if (this.#away) {
      this.#away = false;
      this.#logger.info(`${this.#url.origin} answers again`);
    }
  }

  /** One line for an outage, however many reports meet it. */
  #reportAway(error: unknown): void {
    if (!this.#away) {
      this.#away = true;
      this.#logger.warn(error, `${this.#url.origin} is away, late or bad`);
    }
  }
}

const CLOSED = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];

/** Why a request is aborted that nobody waits for. */
export const OVER = createError(400, 'The request is over.');
