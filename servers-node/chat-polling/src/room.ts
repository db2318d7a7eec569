import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { Message } from './message.ts';

const KEPT = 1_000;
const PRESENT_MS = 2_000;

/** The room, in memory: its newest messages, and the users who are present. It emits `news`. */
export class Room extends EventEmitter<{ news: [] }> {
  /** Ids begin anew with each process. This name tells clients. */
  readonly name = randomUUID();
  /** Nobody waits for news in a room that has closed. */
  isOpen = true;
  #last = 0;
  readonly #messages: Message[] = [];
  /** When each user was seen; the one who was not seen for the longest time comes first. */
  readonly #seen = new Map<string, number>();
  readonly #visits = new Set<{ user: string }>();

  constructor() {
    super();
    this.setMaxListeners(0); // as many as there are connections
  }

  /** The id of the newest message. */
  get last(): number {
    return this.#last;
  }

  /** The id of the newest message that is not kept any more; 0 if all are. */
  get forgotten(): number {
    return this.#last - this.#messages.length;
  }

  // #region chat.post-message
  post(user: string, text: string): Message {
    this.#last += 1;
    const message = { id: this.#last, user, text };
    this.#messages.push(message);
    if (this.#messages.length > KEPT) {
      this.#messages.shift();
    }
    this.emit('news');
    return message;
  }
  // #endregion chat.post-message

  // #region chat.deliver
  /** The messages with greater ids, if they are kept. */
  after(id: number): Message[] {
    return id < this.#last ? this.#messages.slice(id - this.#last) : [];
  }
  // #endregion chat.deliver

  // #region chat.long-poll
  /** Resolves when there is a message with a greater id, the signal aborts, or the room closes. */
  async newerThan(id: number, signal: AbortSignal): Promise<void> {
    while (this.#last <= id && this.isOpen && !signal.aborted) {
      await once(this, 'news', { signal }).catch(() => {}); // it has aborted
    }
  }
  // #endregion chat.long-poll

  /** Ends what waits for news. */
  close(): void {
    this.isOpen = false;
    this.emit('news');
  }

  // #region chat.presence
  /** The user is present for two seconds. */
  see(user: string): void {
    this.#seen.delete(user); // so that it becomes the last of the map
    this.#seen.set(user, performance.now());
    this.#forget();
  }

  /** The user is present until the returned function is called, and for two seconds after that. */
  enter(user: string): () => void {
    const visit = { user };
    this.#visits.add(visit);
    return () => {
      this.#visits.delete(visit);
      this.see(user);
    };
  }

  /** Who is present, in ascending order. */
  users(): string[] {
    this.#forget();
    const visitors = Array.from(this.#visits, ({ user }) => user);
    return [...new Set([...this.#seen.keys(), ...visitors])].sort();
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
