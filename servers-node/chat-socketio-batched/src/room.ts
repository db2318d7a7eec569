import { randomUUID } from 'node:crypto';

export interface Message {
  readonly id: number;
  readonly user: string;
  readonly text: string;
}

const KEPT = 1_000;

/** The one room, in memory: its messages, and who has joined. */
export class Room {
  /** Ids begin anew with each process: clients tell by this name. */
  readonly name = randomUUID();
  #last = 0;
  readonly #messages: Message[] = [];
  readonly #users = new Set<string>();

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
  /** False if the name is taken. */
  join(user: string): boolean {
    if (this.#users.has(user)) {
      return false;
    }
    this.#users.add(user);
    return true;
  }

  leave(user: string): void {
    this.#users.delete(user);
  }

  /** Who is here, by code point: the order of UTF-8's bytes. */
  users(): string[] {
    return [...this.#users].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  }
  // #endregion chat.presence
}
