import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { type Client, Failed, type Listener, type Message } from './client.ts';
import type { Http } from './http.ts';
import { bytesOf } from './wire.ts';

/** Seconds for which the answer to a long poll may wait, as the page asks. */
const WAIT = 20;
/** Milliseconds from a failure to the next question, as the page waits. */
const PAUSE = 500;

/** Asks by long polling: each answer waits for a message, and the next question follows at once. */
export class LongPollingClient implements Client {
  readonly #http: Http;
  readonly #listener: Listener;
  readonly #leaving = new AbortController();
  #last = 0;
  #asking = Promise.resolve();

  constructor(http: Http, listener: Listener) {
    this.#http = http;
    this.#listener = listener;
  }

  async join(): Promise<number> {
    const last = await this.#http.last();
    this.#last = last;
    this.#asking = this.#ask();
    return last;
  }

  send(text: string): Promise<{ id: number; bytes: number }> {
    return this.#http.post(text);
  }

  async leave(): Promise<void> {
    this.#leaving.abort();
    await this.#asking;
    this.#http.close();
  }

  async #ask(): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      try {
        const { content, bytes } = await this.#http.newerThan(this.#last, WAIT, signal);
        this.#last = content.last;
        this.#listener.received(content.messages, bytes);
      } catch (error) {
        if (!signal.aborted) {
          this.#listener.failed(error as Failed);
          await sleep(PAUSE);
        }
      }
    }
  }
}

/** Listens to server-sent events on one connection, and sends on another. */
export class EventsClient implements Client {
  readonly #http: Http;
  readonly #timeout: number;
  readonly #listener: Listener;
  readonly #leaving = new AbortController();

  /** `timeout` is in milliseconds. */
  constructor(http: Http, timeout: number, listener: Listener) {
    this.#http = http;
    this.#timeout = timeout;
    this.#listener = listener;
  }

  /** Once the first event is here, which tells the room. */
  async join(): Promise<number> {
    const last = await this.#http.last();
    const { response, socket } = await this.#http.events(last, this.#leaving.signal);
    let late: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve, reject) => {
      late = setTimeout(() => reject(new Failed('timeout', 'no event in time')), this.#timeout);
      let came: Message[] = [];
      const parser = createParser({
        onEvent: ({ event, data }) => (event === undefined ? came.push(JSON.parse(data)) : resolve()),
      });
      let counted = bytesOf(socket);
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        parser.feed(text);
        if (came.length > 0) {
          const bytes = bytesOf(socket);
          this.#listener.received(came, bytes - counted);
          counted = bytes;
          came = [];
        }
      });
      // An answer that breaks off is closed as well.
      response.on('error', () => {});
      response.on('close', () => {
        reject(new Failed('connection', 'the stream has ended'));
        if (!this.#leaving.signal.aborted) {
          this.#listener.lost();
        }
      });
    }).finally(() => clearTimeout(late));
    return last;
  }

  send(text: string): Promise<{ id: number; bytes: number }> {
    return this.#http.post(text);
  }

  async leave(): Promise<void> {
    this.#leaving.abort();
    this.#http.close();
  }
}
