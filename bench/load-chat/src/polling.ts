import type { Client, Failed, Listener } from './client.ts';
import type { Http } from './http.ts';

/** Asks again and again for what came after the last message it has, as the page does in a browser. */
export class PollingClient implements Client {
  readonly #http: Http;
  readonly #schedule: (poll: () => Promise<void>) => () => void;
  readonly #listener: Listener;
  #last = 0;
  #stop = () => {};
  #asking: Promise<void> | undefined;

  /** `schedule` calls a poll whenever it is due, until what it returns is called. */
  constructor(http: Http, schedule: (poll: () => Promise<void>) => () => void, listener: Listener) {
    this.#http = http;
    this.#schedule = schedule;
    this.#listener = listener;
  }

  async join(): Promise<number> {
    this.#last = await this.#http.last();
    this.#stop = this.#schedule(() => this.#poll());
    return this.#last;
  }

  send(text: string): Promise<{ id: number; bytes: number }> {
    return this.#http.post(text);
  }

  async leave(): Promise<void> {
    this.#stop();
    await this.#asking;
    this.#http.close();
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
      const { content, bytes } = await this.#http.newerThan(this.#last);
      this.#last = content.last;
      this.#listener.received(content.messages, bytes);
    } catch (error) {
      this.#listener.failed(error as Failed);
    }
  }
}
