/**
 * The room as one client knows it. Nothing here touches the page: `chat.js` does.
 *
 * @typedef {{ id: number, user: string, text: string }} Message
 * @typedef {{ room: string, messages: Message[], last: number }} Listing the answer to GET /messages
 * @typedef {{ added: Message[], restarted: boolean, again: boolean }} Change
 *
 * @typedef {object} Page what is told to the page
 * @property {(change: Change) => void} changed there are new messages, or the room is another one
 * @property {(users: string[]) => void} here who is in the room
 * @property {(state: 'connected' | 'lost', why?: string) => void} state
 * @property {(why: string) => void} expelled the name is not ours any more
 */

/** As many messages as the server keeps. */
export const KEPT = 1000;

export const LONGEST_NAME = 32;
export const LONGEST_TEXT = 500;

/** Milliseconds between two questions, and from a first failure to the next try. */
export const INTERVAL = 500;
export const LONGEST_PAUSE = 4000;

/** The server's own sentence. Asking again would not change it. */
export class Refused extends Error {}

/** The text as the server takes it: line breaks and other control characters become blanks. */
export function tidy(/** @type {string} */ text) {
  return text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
}

/** Characters as people and the contract count them: 😀 is one. */
export function length(/** @type {string} */ text) {
  return [...text].length;
}

/** Order by code points, as the server has it; JavaScript's own is by UTF-16 units. */
export function byCodePoint(/** @type {string} */ a, /** @type {string} */ b) {
  const [left, right] = [[...a], [...b]];
  const differing = left.findIndex((character, index) => character !== right[index]);
  if (differing < 0) return left.length - right.length;
  return Number(left[differing]?.codePointAt(0)) - (right[differing]?.codePointAt(0) ?? -1);
}

/** Milliseconds to wait after so many failures in a row, spread so that clients do not all come back at once. */
export function backoff(/** @type {number} */ failures, random = Math.random()) {
  return Math.min(LONGEST_PAUSE, INTERVAL * 2 ** (failures - 1)) * (0.75 + random / 2);
}

/** The messages of one room by id, each once. */
export class Room {
  /** Which room it is; another one has ids of its own. */
  id = '';
  /** @type {Message[]} */
  messages = [];
  /** Nothing up to this id is missing. */
  cursor = 0;

  /** Whether a message came while one before it did not. */
  get gap() {
    return (this.messages.at(-1)?.id ?? 0) > this.cursor;
  }

  /** Learns which room answered. If it is another than before, all that was known is forgotten: true. */
  enter(/** @type {string} */ id) {
    const restarted = this.id !== '' && this.id !== id;
    if (restarted) {
      this.messages = [];
      this.cursor = 0;
    }
    this.id = id;
    return restarted;
  }

  /**
   * Takes the answer to "what came after `after`?". `again` if that was asked of a room that is no more.
   *
   * @returns {Change}
   */
  fill(/** @type {number} */ after, /** @type {Listing} */ { room, messages, last }) {
    const restarted = this.enter(room);
    if (after > this.cursor) return { added: [], restarted, again: true };
    this.cursor = Math.max(this.cursor, last);
    return { added: this.add(messages), restarted, again: false };
  }

  /** Puts messages in their places; those that were not there yet are returned. */
  add(/** @type {Message[]} */ messages) {
    const added = [];
    for (const message of messages) {
      let place = this.messages.length;
      while (place > 0 && Number(this.messages[place - 1]?.id) > message.id) place--;
      if (this.messages[place - 1]?.id === message.id) continue;
      this.messages.splice(place, 0, message);
      added.push(message);
      if (this.messages.length > KEPT) this.messages.shift();
    }
    this.#advance();
    const oldest = this.messages[0]?.id ?? 0;
    return added.filter(({ id }) => id >= oldest);
  }

  #advance() {
    // What is older than the oldest of a full list is not missed.
    if (this.messages.length === KEPT) this.cursor = Math.max(this.cursor, Number(this.messages[0]?.id) - 1);
    for (const { id } of this.messages) {
      if (id === this.cursor + 1) this.cursor = id;
    }
  }
}
