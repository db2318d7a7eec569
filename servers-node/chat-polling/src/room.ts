import { randomUUID } from 'node:crypto';
import type { Message } from './message.ts';

const KEPT = 1_000;
const PRESENT_MS = 2_000;

/** The room, in memory: its newest messages, and the users who have polled of late. */
export class Room {
  /** Ids begin anew with each process. This name tells clients. */
  readonly name = randomUUID();
  #last = 0;
  readonly #messages: Message[] = [];
  /** When each user was seen; the one who was not seen for the longest time comes first. */
  readonly #seen = new Map<string, number>();

  /** The id of the newest message. */
  get last(): number {
    return this.#last;
  }

  // #region chat.post-message
  post(user: string, text: string): Message {
    this.#last += 1;
    const message = { id: this.#last, user, text };
    this.#messages.push(message);
    if (this.#messages.length > KEPT) {
      this.#messages.shift();
    }
    return message;
  }
  // #endregion chat.post-message

  // #region chat.deliver
  /** The messages with greater ids, if they are kept. */
  after(id: number): Message[] {
    return id < this.#last ? this.#messages.slice(id - this.#last) : [];
  }
  // #endregion chat.deliver

  // #region chat.presence
  /** The user is present for two seconds. */
  see(user: string): void {
    this.#seen.delete(user); // so that it becomes the last of the map
    this.#seen.set(user, performance.now());
    this.#forget();
  }

  /** Who is present, in ascending order. */
  users(): string[] {
    this.#forget();
    return [...this.#seen.keys()].sort();
  }

  #forget(): void {
    for (const [user, time] of this.#seen) {
      if (performance.now() - time <= PRESENT_MS) {
        return;
      }
      this.#seen.delete(user);
    }
  }
  // #endregion chat.presence
}
