import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { type Client, Failed, type Listener, type Message } from './client.ts';
import { bytesOf, type CountingAgent } from './wire.ts';

/** `after` of a poll that asks for no message but only where the room is: the largest number that JSON carries safely. */
const NONE = `${Number.MAX_SAFE_INTEGER}`;

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

interface Listing {
  messages: Message[];
  last: number;
}

/** Asks again and again for what came after the last message it has, as the page does in a browser. */
export class PollingClient implements Client {
  readonly #url: URL;
  readonly #user: string;
  readonly #agent: CountingAgent;
  readonly #timeout: number;
  readonly #schedule: (poll: () => Promise<void>) => () => void;
  readonly #listener: Listener;
  #last = 0;
  #stop = () => {};
  #asking: Promise<void> | undefined;

  /** `schedule` calls a poll whenever it is due, until what it returns is called. `timeout` is in milliseconds. */
  constructor(
    url: URL,
    user: string,
    agent: CountingAgent,
    timeout: number,
    schedule: (poll: () => Promise<void>) => () => void,
    listener: Listener,
  ) {
    this.#url = url;
    this.#user = user;
    this.#agent = agent;
    this.#timeout = timeout;
    this.#schedule = schedule;
    this.#listener = listener;
  }

  async join(): Promise<number> {
    const { content } = await this.#ask<Listing>(this.#messagesAfter(NONE));
    this.#last = content.last;
    this.#stop = this.#schedule(() => this.#poll());
    return this.#last;
  }

  async send(text: string): Promise<{ id: number; bytes: number }> {
    const { content, bytes } = await this.#ask<Message>('/messages', JSON.stringify({ user: this.#user, text }));
    return { id: content.id, bytes };
  }

  async leave(): Promise<void> {
    this.#stop();
    await this.#asking;
    this.#agent.destroy();
  }

  #messagesAfter(last: number | string): string {
    return `/messages?after=${last}&user=${this.#user}`;
  }

  /** A poll that is due while the last one is still without an answer is left out, as in a browser. */
  async #poll(): Promise<void> {
    this.#asking ??= this.#askForNew().finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
  }

  async #askForNew(): Promise<void> {
    try {
      const { content, bytes } = await this.#ask<Listing>(this.#messagesAfter(this.#last));
      this.#last = content.last;
      this.#listener.received(content.messages, bytes);
    } catch (error) {
      this.#listener.failed(error as Failed);
    }
  }

  /** The JSON of the right answer, and the bytes of request and answer. Rejects with Failed. */
  #ask<Content>(path: string, body?: string): Promise<{ content: Content; bytes: number }> {
    const { origin } = this.#url;
    const post = {
      'Content-Type': 'application/json',
      Origin: origin,
      'Content-Length': Buffer.byteLength(body ?? ''),
    };
    const right = body === undefined ? 200 : 201;
    const signal = AbortSignal.timeout(this.#timeout);
    return new Promise((resolve, reject) => {
      const fail = (error: Error) =>
        reject(new Failed(signal.aborted ? 'timeout' : 'connection', `${path}: ${error.message}`));
      const asked = request(new URL(path, origin), {
        agent: this.#agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...BROWSER, Referer: `${origin}/`, ...(body === undefined ? {} : post) },
        signal,
      });
      let socket: Socket;
      let before = 0;
      asked.on('socket', (given) => {
        socket = given;
        before = bytesOf(given);
      });
      asked.on('error', fail);
      asked.on('response', async (response) => {
        try {
          const text = await textOf(response);
          if (response.statusCode !== right) {
            reject(new Failed('refused', `${path}: ${response.statusCode} ${text}`));
          } else {
            resolve({ content: JSON.parse(text), bytes: bytesOf(socket) - before });
          }
        } catch (error) {
          fail(error as Error);
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
