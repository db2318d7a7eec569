/**
 * The ways from a client to the room. Nothing here touches the page: `chat.js` does.
 *
 * @typedef {import('./room.js').Message} Message
 * @typedef {import('./room.js').Page} Page
 */

import { backoff, byCodePoint, INTERVAL, LONGEST_PAUSE, Refused, Room } from './room.js';
import { ioOf } from './websocket.js';

const PATIENCE = 5000;
/** Seconds for which the answer to a long poll may wait. */
const WAIT = 20;
/** How long a message may be missing between others before it is asked for: longer than the pause between batches. */
const GAP_PATIENCE = 1000;
/** The server finds out within 10 s that an old connection is dead; until then our own name is taken. */
const NAME_PATIENCE = 15_000;

/** What one may choose where the server speaks polling, by its name in an address. */
export const WAYS = { polling: 'Polling', 'long-polling': 'Long polling', events: 'Server-sent events' };

/**
 * A line that nobody has joined yet, to a server with this transport.
 *
 * @returns {Promise<Polling | Events | Sockets>}
 */
export async function lineOf(
  /** @type {string | undefined} */ transport,
  /** @type {string} */ way,
  /** @type {string} */ user,
  /** @type {Page} */ page,
) {
  if (transport === 'websocket') return new Sockets(user, page, /** @type {any} */ (ioOf(user)));
  if (transport !== 'polling') {
    const { io } = await import('/assets/socket.io.js');
    return new Sockets(user, page, io);
  }
  if (way === 'events') return new Events(user, page);
  return new Polling(user, page, way === 'long-polling' ? WAIT : 0);
}

/** @returns {Promise<any>} the JSON of a good answer; throws Refused with the problem's detail for a bad one */
async function ask(/** @type {string} */ path, /** @type {RequestInit} */ options = {}, wait = 0) {
  const signal = AbortSignal.timeout(PATIENCE + 1000 * wait);
  const response = await fetch(path, { cache: 'no-store', signal, ...options });
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => ({}));
  const detail = problem.detail ?? `The server answered ${response.status}.`;
  throw response.status < 500 ? new Refused(detail) : new Error(detail);
}

/**
 * Asks for what is new; once more if the room has turned out to be another one. The answer may wait for so many seconds.
 *
 * @returns {Promise<boolean>} whether something was new
 */
async function catchUp(/** @type {Room} */ room, /** @type {Page} */ page, user = '', wait = 0) {
  const parameters = `${user && `&user=${encodeURIComponent(user)}`}${wait ? `&wait=${wait}` : ''}`;
  for (;;) {
    const after = room.cursor;
    const listing = await ask(`/messages?after=${after}${parameters}`, {}, wait);
    const change = room.fill(after, listing);
    page.changed(change);
    if (!change.again) return listing.messages.length > 0;
  }
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

/** What the ways over HTTP have in common: how one sends, and looks who is here. */
class HttpLine {
  room = new Room();
  left = false;
  #looking = new Pause();

  constructor(/** @type {string} */ user, /** @type {Page} */ page) {
    this.user = user;
    this.page = page;
  }

  /** @returns {Promise<void>} */
  async send(/** @type {string} */ text) {
    const body = JSON.stringify({ user: this.user, text });
    const headers = { 'Content-Type': 'application/json' };
    const { room, id, user, text: taken } = await ask('/messages', { method: 'POST', headers, body });
    const restarted = this.room.enter(room);
    this.page.changed({ added: this.room.add([{ id, user, text: taken }]), restarted, again: restarted });
  }

  /** Resolves when the room's messages are here. */
  async join() {
    await catchUp(this.room, this.page, this.user);
    this.page.here(await present());
    void this.#look();
  }

  /** The network or the reader may be back: does not wait any longer. */
  wake() {
    this.#looking.end?.();
  }

  leave() {
    this.left = true;
    this.wake();
  }

  /** Sees every second who is here. */
  async #look() {
    for (;;) {
      await this.#looking.wait(2 * INTERVAL);
      if (this.left) return;
      try {
        this.page.here(await present());
      } catch {
        // That the server is away is found out by who asks it for messages.
      }
    }
  }
}

/** Asks twice a second what is new, or as soon as an answer that has waited is there; by asking one is in the room. */
export class Polling extends HttpLine {
  #pause = new Pause();
  #wait;

  /** `wait` is in seconds; 0 for plain polling. */
  constructor(/** @type {string} */ user, /** @type {Page} */ page, wait = 0) {
    super(user, page);
    this.#wait = wait;
  }

  /** @override */
  async join() {
    await super.join();
    void this.#run();
  }

  /** @override */
  wake() {
    super.wake();
    this.#pause.end?.();
  }

  async #run() {
    let failures = 0;
    let pause = this.#wait ? 0 : INTERVAL;
    // Each question waits for the answer to the last one: a slow server is not asked more than it can answer.
    for (;;) {
      await this.#pause.wait(pause);
      if (this.left) return;
      try {
        // A server that is back may have another room, in which our last id is still to come: it is not to wait.
        const news = await catchUp(this.room, this.page, this.user, failures ? 0 : this.#wait);
        pause = this.#wait && (news || failures) ? 0 : INTERVAL;
        failures = 0;
        this.page.state('connected');
      } catch (error) {
        pause = backoff(++failures);
        this.page.state('lost', error instanceof Refused ? error.message : undefined);
      }
    }
  }
}

/** Listens to server-sent events. The browser connects again by itself, and says which event was its last. */
export class Events extends HttpLine {
  #pause = new Pause();
  #failures = 0;
  /** The room whose ids the browser has. */
  #heard = '';
  /** @type {EventSource | undefined} */
  #source;

  /** @override */
  async join() {
    await super.join();
    this.#open();
  }

  /** @override */
  wake() {
    super.wake();
    this.#pause.end?.();
    if (!this.left && this.#source?.readyState === EventSource.CONNECTING) this.#open();
  }

  /** @override */
  leave() {
    super.leave();
    this.#source?.close();
  }

  #open() {
    this.#source?.close();
    this.#heard = this.room.id;
    const source = new EventSource(`/events?after=${this.room.cursor}&user=${encodeURIComponent(this.user)}`);
    this.#source = source;
    source.addEventListener('room', ({ data }) => this.#enter(JSON.parse(data).room));
    source.addEventListener('message', ({ data }) => {
      this.page.changed({ added: this.room.add([JSON.parse(data)]), restarted: false, again: false });
    });
    source.addEventListener('error', () => {
      this.page.state('lost');
      // After an answer that is no stream the browser does not come back by itself.
      if (source.readyState === EventSource.CLOSED) void this.#openLater();
    });
  }

  #enter(/** @type {string} */ room) {
    const restarted = this.room.enter(room);
    if (restarted) this.page.changed({ added: [], restarted, again: true });
    if (this.#heard !== room) {
      this.#open();
      return;
    }
    this.#failures = 0;
    this.page.state('connected');
  }

  async #openLater() {
    await this.#pause.wait(backoff(++this.#failures));
    if (!this.left) this.#open();
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
