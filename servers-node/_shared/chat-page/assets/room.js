/**
 * The room as one client knows it, and the two ways to it. Nothing here touches the page: `chat.js` does.
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

const INTERVAL = 500;
const PATIENCE = 5000;
const LONGEST_PAUSE = 4000;
/** How long a message may be missing between others before it is asked for: longer than the pause between batches. */
const GAP_PATIENCE = 1000;
/** The server finds out within 10 s that an old connection is dead; until then our own name is taken. */
const NAME_PATIENCE = 15_000;

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

/** @returns {Promise<any>} the JSON of a good answer; throws Refused with the problem's detail for a bad one */
async function ask(/** @type {string} */ path, /** @type {RequestInit} */ options = {}) {
  const response = await fetch(path, { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE), ...options });
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => ({}));
  const detail = problem.detail ?? `The server answered ${response.status}.`;
  throw response.status < 500 ? new Refused(detail) : new Error(detail);
}

/** Asks for what is new; once more if the room has turned out to be another one. */
async function catchUp(/** @type {Room} */ room, /** @type {Page} */ page, user = '') {
  let change;
  do {
    const after = room.cursor;
    const listing = await ask(`/messages?after=${after}${user && `&user=${encodeURIComponent(user)}`}`);
    change = room.fill(after, listing);
    page.changed(change);
  } while (change.again);
}

/** @returns {Promise<string[]>} */
async function present() {
  return (await ask('/presence')).users;
}

/** A pause that can be cut short. */
class Pause {
  /** @type {(() => void) | undefined} */
  end;

  wait(/** @type {number} */ milliseconds) {
    return new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Asks twice a second what is new, and by asking stays in the room. */
export class Polling {
  #room = new Room();
  #pause = new Pause();
  #left = false;
  #turn = 0;

  constructor(/** @type {string} */ user, /** @type {Page} */ page) {
    this.user = user;
    this.page = page;
  }

  /** Resolves when the room's messages are here. */
  async join() {
    await this.#poll();
    void this.#run();
  }

  /** @returns {Promise<void>} */
  async send(/** @type {string} */ text) {
    const body = JSON.stringify({ user: this.user, text });
    const headers = { 'Content-Type': 'application/json' };
    const { room, id, user, text: taken } = await ask('/messages', { method: 'POST', headers, body });
    const restarted = this.#room.enter(room);
    this.page.changed({ added: this.#room.add([{ id, user, text: taken }]), restarted, again: restarted });
  }

  /** The network or the reader may be back: does not wait any longer. */
  wake() {
    this.#pause.end?.();
  }

  leave() {
    this.#left = true;
    this.wake();
  }

  async #run() {
    let failures = 0;
    // Each question waits for the answer to the last one: a slow server is not asked more than it can answer.
    while (!this.#left) {
      await this.#pause.wait(failures ? backoff(failures) : INTERVAL);
      if (this.#left) return;
      try {
        await this.#poll();
        failures = 0;
        this.page.state('connected');
      } catch (error) {
        failures++;
        this.page.state('lost', error instanceof Refused ? error.message : undefined);
      }
    }
  }

  async #poll() {
    await catchUp(this.#room, this.page, this.user);
    if (this.#turn++ % 2 === 0) this.page.here(await present());
  }
}

/** Messages come by themselves, one by one or in batches; what came while there was no connection is asked for. */
export class Sockets {
  #room = new Room();
  #pause = new Pause();
  /** @type {Set<string>} */
  #users = new Set();
  #joined = false;
  #left = false;
  #someoneMoved = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #gapTimer;
  /** @type {import('socket.io-client').Socket} */
  #socket;

  constructor(
    /** @type {string} */ user,
    /** @type {Page} */ page,
    /** @type {typeof import('socket.io-client').io} */ io,
  ) {
    this.user = user;
    this.page = page;
    this.#socket = io({
      transports: ['websocket', 'polling'],
      tryAllTransports: true,
      autoConnect: false,
      forceNew: true,
      timeout: PATIENCE,
      reconnectionDelay: INTERVAL,
      reconnectionDelayMax: LONGEST_PAUSE,
    });
    this.#socket.on('message', (/** @type {Message} */ message) => this.#add([message]));
    this.#socket.on('messages', (/** @type {Message[]} */ messages) => this.#add(messages));
    this.#socket.on('joined', ({ user }) => this.#moved(() => this.#users.add(user)));
    this.#socket.on('left', ({ user }) => this.#moved(() => this.#users.delete(user)));
  }

  /** Resolves when the room's messages are here. */
  async join() {
    try {
      await new Promise((resolve, reject) => {
        this.#socket.once('connect', () => resolve(undefined));
        this.#socket.once('connect_error', reject);
        this.#socket.connect();
      });
      await this.#enter();
    } catch (error) {
      this.leave();
      throw error;
    }
    this.#socket.off('connect_error');
    this.#socket.on('connect', () => this.#comeBack());
    this.#socket.on('disconnect', (reason) => this.#lost(reason));
  }

  /** @returns {Promise<void>} */
  async send(/** @type {string} */ text) {
    // Socket.IO would keep it for later, and hand it over before we have joined.
    if (!this.#joined) throw new Error('There is no connection just now.');
    const room = this.#room.id;
    const answer = await this.#socket.timeout(PATIENCE).emitWithAck('message', text);
    if (!answer.ok) throw new Refused(answer.error);
    if (room === this.#room.id) this.#add([{ id: answer.id, user: this.user, text }]);
  }

  /** The network or the reader may be back: does not wait any longer. */
  wake() {
    this.#pause.end?.();
    if (!this.#left && !this.#socket.connected) this.#socket.connect();
  }

  leave() {
    this.#left = true;
    this.#joined = false;
    clearTimeout(this.#gapTimer);
    this.#socket.off();
    this.#socket.disconnect();
    this.#pause.end?.();
  }

  async #enter() {
    const answer = await this.#socket.timeout(PATIENCE).emitWithAck('join', this.user);
    if (!answer.ok && answer.error !== 'Already joined.') throw new Refused(answer.error);
    if (answer.ok && this.#room.enter(answer.room)) {
      this.page.changed({ added: [], restarted: true, again: true });
    }
    await catchUp(this.#room, this.page);
    await this.#countUsers();
    this.#joined = true;
  }

  async #comeBack() {
    const since = Date.now();
    for (let failures = 1; this.#socket.connected && !this.#joined; failures++) {
      try {
        await this.#enter();
        this.page.state('connected');
        return;
      } catch (error) {
        const refused = error instanceof Refused;
        if (refused && Date.now() - since > NAME_PATIENCE) {
          this.leave();
          this.page.expelled(error.message);
          return;
        }
        this.page.state('lost', refused ? error.message : undefined);
        await this.#pause.wait(backoff(failures));
      }
    }
  }

  async #lost(/** @type {string} */ reason) {
    this.#joined = false;
    clearTimeout(this.#gapTimer);
    this.#gapTimer = undefined;
    // After that the library does not come back by itself.
    const dropped = reason === 'io server disconnect';
    this.page.state(
      'lost',
      dropped ? 'The server has closed the connection. It does so when too much is sent at once.' : undefined,
    );
    if (!dropped) return;
    await this.#pause.wait(backoff(2));
    this.wake();
  }

  #add(/** @type {Message[]} */ messages) {
    const added = this.#room.add(messages);
    this.page.changed({ added, restarted: false, again: false });
    // An acknowledgement may overtake a batch; what is still missing then was lost.
    if (this.#room.gap) this.#gapTimer ??= setTimeout(() => this.#closeGap(), GAP_PATIENCE);
  }

  async #closeGap() {
    try {
      if (this.#room.gap) await catchUp(this.#room, this.page);
    } catch {
      // The next message finds the gap still open, and a new connection closes it.
    }
    this.#gapTimer = undefined;
  }

  async #countUsers() {
    do {
      this.#someoneMoved = false;
      this.#users = new Set(await present());
    } while (this.#someoneMoved);
    this.#showUsers();
  }

  #moved(/** @type {() => void} */ change) {
    this.#someoneMoved = true;
    change();
    this.#showUsers();
  }

  #showUsers() {
    this.page.here([...this.#users].sort(byCodePoint));
  }
}
