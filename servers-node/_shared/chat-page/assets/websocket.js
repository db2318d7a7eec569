/** A bare WebSocket with JSON in its frames, in the place of a socket of Socket.IO: as much of one as `Sockets` uses. */

import { backoff } from './room.js';

/** @typedef {{ ok: boolean, error?: string, room?: string, last?: number, id?: number }} Answer */

/** Milliseconds. The server sends a ping every 5 s. */
const SILENCE = 12_000;

/** What `io` is for Socket.IO: makes a socket, which is not connected yet. */
export function ioOf(/** @type {string} */ user) {
  return () => new JsonSocket(user);
}

class JsonSocket {
  /** Also when the server has refused our name: it is there, and may be asked again. */
  connected = false;
  #user;
  /** @type {Map<string, Set<(what: any) => void>>} */
  #listeners = new Map();
  /** @type {WebSocket | undefined} */
  #socket;
  /** @type {Promise<Answer> | undefined} the first frame, which is the answer to joining */
  #first;
  #isFirst = true;
  #refused = false;
  /** @type {{ resolve: (answer: Answer) => void, reject: (error: Error) => void }[]} oldest first, as answers come */
  #waiting = [];
  #patience = 0;
  #failures = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retryTimer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #silenceTimer;

  constructor(/** @type {string} */ user) {
    this.#user = user;
  }

  on(/** @type {string} */ event, /** @type {(what: any) => void} */ listener) {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
  }

  once(/** @type {string} */ event, /** @type {(what: any) => void} */ listener) {
    const once = (/** @type {any} */ what) => {
      this.#listeners.get(event)?.delete(once);
      listener(what);
    };
    this.on(event, once);
  }

  off(/** @type {string | undefined} */ event = undefined) {
    if (event === undefined) this.#listeners.clear();
    else this.#listeners.delete(event);
  }

  connect() {
    clearTimeout(this.#retryTimer);
    if (!this.#socket) this.#first = this.#open();
  }

  disconnect() {
    clearTimeout(this.#retryTimer);
    const socket = this.#socket;
    this.connected = false;
    this.#forget();
    socket?.close();
  }

  timeout(/** @type {number} */ milliseconds) {
    this.#patience = milliseconds;
    return this;
  }

  /** @returns {Promise<Answer>} */
  emitWithAck(/** @type {string} */ event, /** @type {string} */ value) {
    const answer = event === 'join' ? this.#join() : this.#send(value);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('The server does not answer.')), this.#patience);
      answer.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  /** The address names who joins. The server closes a connection whose name it refuses: another try needs another one. */
  async #join() {
    this.#first ??= this.#open();
    const answer = await this.#first;
    if (!answer.ok) this.#first = undefined;
    return answer;
  }

  /** @returns {Promise<Answer>} */
  #send(/** @type {string} */ text) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#socket?.send(JSON.stringify({ text }));
    });
  }

  /** Opens a connection. Resolves with its first frame. */
  #open() {
    const origin = location.origin.replace(/^http/, 'ws');
    const socket = new WebSocket(`${origin}/ws?user=${encodeURIComponent(this.#user)}`);
    this.#socket = socket;
    this.#isFirst = true;
    this.#refused = false;
    /** @type {Promise<Answer>} */
    const first = new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
    first.catch(() => {}); // Nobody may have asked for it.
    this.#hear(socket);
    socket.addEventListener('open', () => {
      if (socket !== this.#socket || this.connected) return;
      this.connected = true;
      this.#failures = 0;
      this.#tell('connect');
    });
    socket.addEventListener('message', ({ data }) => {
      if (socket !== this.#socket) return;
      this.#hear(socket);
      this.#take(JSON.parse(data));
    });
    socket.addEventListener('close', ({ wasClean }) => this.#lose(socket, wasClean));
    return first;
  }

  #take(/** @type {any} */ frame) {
    if (frame.ping) {
      this.#socket?.send('{"pong":true}');
    } else if ('joined' in frame) {
      this.#tell('joined', { user: frame.joined });
    } else if ('left' in frame) {
      this.#tell('left', { user: frame.left });
    } else if ('text' in frame) {
      this.#tell('message', frame);
    } else {
      const ok = !('error' in frame);
      if (this.#isFirst) this.#refused = !ok;
      this.#isFirst = false;
      this.#waiting.shift()?.resolve({ ok, ...frame });
    }
  }

  /** Ends the connection if nothing more comes: a browser may not notice for minutes that a server is gone. */
  #hear(/** @type {WebSocket} */ socket) {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = setTimeout(() => {
      this.#lose(socket, false);
      socket.close();
    }, SILENCE);
  }

  #lose(/** @type {WebSocket} */ socket, /** @type {boolean} */ byTheServer) {
    if (socket !== this.#socket) return;
    this.#forget();
    if (this.#refused) return;
    const dropped = this.connected && byTheServer;
    if (!this.connected) this.#tell('connect_error', new Error('The server does not answer.'));
    else {
      this.connected = false;
      // In the words of Socket.IO. After the former a client has to connect again by itself.
      this.#tell('disconnect', dropped ? 'io server disconnect' : 'transport close');
    }
    if (!dropped) this.#retryTimer = setTimeout(() => this.connect(), backoff(++this.#failures));
  }

  #forget() {
    this.#socket = undefined;
    clearTimeout(this.#silenceTimer);
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('The connection is gone.'));
  }

  #tell(/** @type {string} */ event, /** @type {any} */ what = undefined) {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) listener(what);
  }
}
