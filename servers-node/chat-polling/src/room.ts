import { randomUUID } from 'node:crypto';

export interface Message {
  readonly id: number;
  readonly user: string;
  readonly text: string;
}

const KEPT = 1_000;
const PRESENT_MS = 2_000;

/** The one room, in memory: its messages, and who has asked for them of late. */
export class Room {
  /** Ids begin anew with each process: clients tell by this name. */
  readonly name = randomUUID();
  #last = 0;
  readonly #messages: Message[] = [];
  /** When each was last seen, the longest unseen first. */
  readonly #seen = new Map<string, number>();

  /** The id of the newest message. */
  get last(): number {
    return this.#last;
  }

  post(user: string, text: string): Message {
    this.#last += 1;
    const message = { id: this.#last, user, text };
    this.#messages.push(message);
    if (this.#messages.length > KEPT) {
      this.#messages.shift();
    }
    return message;
  }

  /** The messages that are newer than `id`, as far as they are still kept. */
  since(id: number): Message[] {
    const unseen = Math.min(this.#last - id, this.#messages.length);
    return unseen > 0 ? this.#messages.slice(-unseen) : [];
  }

  // #region chat.presence
  /** For a while from now on, this user is here. */
  see(user: string): void {
    this.#forget();
    this.#seen.delete(user);
    this.#seen.set(user, performance.now());
  }

  /** Who is here, by code point: the order of UTF-8's bytes. */
  users(): string[] {
    this.#forget();
    return [...this.#seen.keys()].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  }

  #forget(): void {
    const since = performance.now() - PRESENT_MS;
    for (const [user, time] of this.#seen) {
      if (time >= since) {
        break;
      }
      this.#seen.delete(user);
    }
  }
  // #endregion chat.presence
}
