import { randomUUID } from 'node:crypto';
import type { Message } from './message.ts';

const MAX_MESSAGES = 1_000;

/** The one room, in memory: its messages, and who has joined. */
export class Room {
  /** Ids begin at 1 with each process. Clients notice that by this name. */
  readonly name = randomUUID();
  readonly #messages: Message[] = [];
  readonly #users = new Set<string>();
  #last = 0;

  /** The id of the newest message. */
  get last(): number {
    return this.#last;
  }

  post(user: string, text: string): Message {
    this.#last += 1;
    const message = { id: this.#last, user, text };
    this.#messages.push(message);
    if (this.#messages.length > MAX_MESSAGES) {
      this.#messages.shift();
    }
    return message;
  }

  /** The messages with greater ids, as far as the room keeps them. */
  since(id: number): Message[] {
    return this.#messages.slice(Math.max(0, this.#messages.length - (this.#last - id)));
  }

  // #region chat.presence
  /** False if the name is taken. */
  join(user: string): boolean {
    const isFree = !this.#users.has(user);
    this.#users.add(user);
    return isFree;
  }

  leave(user: string): void {
    this.#users.delete(user);
  }

  users(): string[] {
    return [...this.#users].sort();
  }
  // #endregion chat.presence
}
