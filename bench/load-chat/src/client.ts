import type { Failure } from './meter.ts';

export interface Message {
  id: number;
  user: string;
  text: string;
}

/** Something of a user's did not work. */
export class Failed extends Error {
  readonly kind: Failure;

  constructor(kind: Failure, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** What a client tells its user. */
export interface Listener {
  /** Messages have come, in one piece of so many bytes; it may hold none. */
  received(messages: Message[], bytes: number): void;
  /** An operation that nobody waits for did not work. */
  failed(failure: Failed): void;
  /** The connection is gone, and does not come back. */
  lost(): void;
}

/** A user's line to the room. Its promises reject with Failed. */
export interface Client {
  /** The id of the room's last message: what comes from now on is newer. */
  join(): Promise<number>;
  /** The id that the message got, and the bytes of the message and of its answer. */
  send(text: string): Promise<{ id: number; bytes: number }>;
  /** From now on nothing more comes. */
  leave(): Promise<void>;
}
