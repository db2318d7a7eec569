import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { Failed, type Message } from './client.ts';
import { bytesOf, type CountingAgent } from './wire.ts';

/** What Chromium 156 sends with a fetch() of the chat's page beside Host and Connection. */
const BROWSER = {
  Pragma: 'no-cache',
  'Cache-Control': 'no-cache',
  'sec-ch-ua-platform': '"Linux"',
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  'sec-ch-ua': '"Not:A-Brand";v="8", "Chromium";v="156"',
  'sec-ch-ua-mobile': '?0',
  Accept: '*/*',
  'Sec-Fetch-Site': 'same-origin',
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Dest': 'empty',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
};

/** `after` of a poll that asks for no message but only where the room is: the largest number that JSON carries safely. */
const NONE = Number.MAX_SAFE_INTEGER;

export interface Listing {
  messages: Message[];
  last: number;
}

/** An answer whose head is here, and what its connection had carried before. */
interface Opened {
  response: IncomingMessage;
  socket: Socket;
  before: number;
}

/** A user's requests, as its browser sends them. All reject with Failed. */
export class Http {
  readonly #origin: string;
  readonly #user: string;
  readonly #agent: CountingAgent;
  readonly #timeout: number;

  /** `timeout` is in milliseconds. */
  constructor(url: URL, user: string, agent: CountingAgent, timeout: number) {
    this.#origin = url.origin;
    this.#user = user;
    this.#agent = agent;
    this.#timeout = timeout;
  }

  /** The id of the room's last message. */
  async last(): Promise<number> {
    return (await this.newerThan(NONE)).content.last;
  }

  /** What came after a message, and the bytes of request and answer. The answer may wait for so many seconds. */
  newerThan(id: number, wait = 0, signal?: AbortSignal): Promise<{ content: Listing; bytes: number }> {
    const path = `/messages?after=${id}&user=${this.#user}${wait ? `&wait=${wait}` : ''}`;
    return this.#ask<Listing>(path, undefined, wait, signal);
  }

  /** The id that the message got, and the bytes of request and answer. */
  async post(text: string): Promise<{ id: number; bytes: number }> {
    const { content, bytes } = await this.#ask<Message>('/messages', JSON.stringify({ user: this.#user, text }));
    return { id: content.id, bytes };
  }

  /** The events after a message: an answer without an end, but for the signal. Its head has its time. */
  async events(id: number, signal: AbortSignal): Promise<Opened> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.#timeout);
    try {
      const headers = { Accept: 'text/event-stream' };
      return await this.#open(
        `/events?after=${id}&user=${this.#user}`,
        AbortSignal.any([late.signal, signal]),
        headers,
      );
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  /** The JSON of the right answer, and the bytes of request and answer. It may wait for so many seconds. */
  async #ask<Content>(path: string, body?: string, wait = 0, signal?: AbortSignal) {
    const time = AbortSignal.timeout(this.#timeout + 1000 * wait);
    const end = signal ? AbortSignal.any([time, signal]) : time;
    const { response, socket, before } = await this.#open(path, end, {}, body);
    try {
      return { content: JSON.parse(await textOf(response)) as Content, bytes: bytesOf(socket) - before };
    } catch (error) {
      throw new Failed(end.aborted ? 'timeout' : 'connection', `${path}: ${(error as Error).message}`);
    }
  }

  /** The head of the right answer. */
  #open(path: string, signal: AbortSignal, headers: object, body?: string): Promise<Opened> {
    const post = {
      'Content-Type': 'application/json',
      Origin: this.#origin,
      'Content-Length': Buffer.byteLength(body ?? ''),
    };
    const right = body === undefined ? 200 : 201;
    return new Promise((resolve, reject) => {
      const asked = request(new URL(path, this.#origin), {
        agent: this.#agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...BROWSER, Referer: `${this.#origin}/`, ...headers, ...(body === undefined ? {} : post) },
        signal,
      });
      let socket: Socket;
      let before = 0;
      asked.on('socket', (given) => {
        socket = given;
        before = bytesOf(given);
      });
      asked.on('error', (error) =>
        reject(new Failed(signal.aborted ? 'timeout' : 'connection', `${path}: ${error.message}`)),
      );
      asked.on('response', async (response) => {
        if (response.statusCode === right) {
          resolve({ response, socket, before });
        } else {
          const text = await textOf(response).catch(() => '');
          reject(new Failed('refused', `${path}: ${response.statusCode} ${text}`));
        }
      });
      asked.end(body);
    });
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
