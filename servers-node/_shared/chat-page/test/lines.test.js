import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { mock, test } from 'node:test';
import { Events, lineOf, Polling, Sockets } from '../assets/lines.js';
import { Refused } from '../assets/room.js';

/** @typedef {import('../assets/room.js').Message} Message */

const said = (/** @type {number} */ id, user = 'eve') => ({ id, user, text: `message ${id}` });

/** A page that remembers what it was told. */
function notebook() {
  /** @type {{ shown: Message[], users: string[][], states: string[], restarts: number, expelled: string }} */
  const told = { shown: [], users: [], states: [], restarts: 0, expelled: '' };
  /** @type {import('../assets/room.js').Page} */
  const page = {
    changed({ added, restarted }) {
      if (restarted) told.shown = [];
      told.restarts += Number(restarted);
      told.shown.push(...added);
    },
    here: (users) => void told.users.push(users),
    state: (state) => void (told.states.at(-1) !== state && told.states.push(state)),
    expelled(why) {
      told.expelled = why;
    },
  };
  return { told, page };
}

/** A server with one room, in place of `fetch`. */
function serve() {
  const server = {
    room: 'a',
    messages: [said(1), said(2)],
    users: ['eve'],
    asked: /** @type {string[]} */ ([]),
    away: false,
  };
  mock.method(globalThis, 'fetch', async (/** @type {string} */ path, /** @type {RequestInit} */ options) => {
    server.asked.push(path);
    if (server.away) throw new TypeError('fetch failed');
    const { pathname, searchParams } = new URL(path, 'http://localhost');
    const { room } = server;
    if (pathname === '/presence') return Response.json({ room, users: server.users });
    if (options.method === 'POST') {
      const { user, text } = JSON.parse(String(options.body));
      if (text === 'refused') return Response.json({ detail: 'The sentence.' }, { status: 422 });
      server.messages.push({ id: server.messages.length + 1, user, text });
      return Response.json({ room, ...server.messages.at(-1) }, { status: 201 });
    }
    const messages = server.messages.filter(({ id }) => id > Number(searchParams.get('after')));
    return Response.json({ room, messages, last: server.messages.length });
  });
  return server;
}

/** A stream of events in place of the browser's: tells what it is told to. */
class Source extends EventTarget {
  static CONNECTING = 0;
  static OPEN = 1;
  static CLOSED = 2;
  /** @type {Source[]} */
  static all = [];
  readyState = Source.CONNECTING;

  constructor(/** @type {string} */ url) {
    super();
    this.url = url;
    Source.all.push(this);
  }

  tell(/** @type {object} */ value, name = 'message') {
    this.readyState = Source.OPEN;
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(value) }));
  }

  fail(readyState = Source.CONNECTING) {
    this.readyState = readyState;
    this.dispatchEvent(new Event('error'));
  }

  close() {
    this.readyState = Source.CLOSED;
  }
}

/** A Socket.IO connection in place of the library's: acknowledges as it is told. */
class Socket extends EventEmitter {
  connected = false;
  room = 'a';
  last = 2;
  joins = /** @type {unknown[]} */ ([]);
  timeout = () => this;

  /** @override */
  off(/** @type {string | symbol | undefined} */ name = undefined) {
    return this.removeAllListeners(name);
  }

  connect() {
    this.connected = true;
    queueMicrotask(() => this.emit('connect'));
  }

  disconnect() {
    this.connected = false;
  }

  lose(reason = 'transport close') {
    this.connected = false;
    this.emit('disconnect', reason);
  }

  async emitWithAck(/** @type {string} */ event, /** @type {string} */ value) {
    if (event === 'join') return this.joins.shift() ?? { ok: true, room: this.room, last: this.last };
    return value === 'refused' ? { ok: false, error: 'The sentence.' } : { ok: true, id: ++this.last };
  }
}

/** Lets all that waits for timers and answers go on for so many milliseconds. */
async function pass(/** @type {number} */ milliseconds) {
  for (let passed = 0; passed <= milliseconds; passed += 50) {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    if (passed < milliseconds) mock.timers.tick(50);
  }
}

test.beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'] }));
test.afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

const connect = (/** @type {any} */ page, socket = new Socket()) => ({
  socket,
  line: new Sockets('ana', page, /** @type {any} */ (() => socket)),
});

test('polling asks for what is new, as someone who is here', async () => {
  const server = serve();
  const { told, page } = notebook();
  const line = new Polling('ana & co', page);
  await line.join();
  server.messages.push(said(3));
  await pass(1000);
  line.leave();
  assert.deepEqual(told.shown, [said(1), said(2), said(3)]);
  const questions = server.asked.filter((path) => path.startsWith('/messages'));
  assert.deepEqual(
    questions,
    [0, 2, 3].map((after) => `/messages?after=${after}&user=ana%20%26%20co`),
  );
  assert.deepEqual(told.users.at(-1), ['eve']);
  await pass(2000);
  assert.equal(server.asked.filter((path) => path.startsWith('/messages')).length, 3, 'it asks after having left');
});

test('polling shows what we said once', async () => {
  serve();
  const { told, page } = notebook();
  const line = new Polling('ana', page);
  await line.join();
  await line.send('oi');
  await pass(1000);
  line.leave();
  assert.deepEqual(
    told.shown.map(({ id, user }) => [id, user]),
    [
      [1, 'eve'],
      [2, 'eve'],
      [3, 'ana'],
    ],
  );
  await assert.rejects(line.send('refused'), new Refused('The sentence.'));
});

test('polling comes back by itself, and notices another room', async () => {
  const server = serve();
  const { told, page } = notebook();
  const line = new Polling('ana', page);
  await line.join();
  server.away = true;
  await pass(1000);
  assert.deepEqual(told.states, ['lost']);
  Object.assign(server, { away: false, room: 'b', messages: [said(1, 'bob')] });
  await pass(5000);
  line.leave();
  assert.deepEqual([told.states, told.restarts, told.shown], [['lost', 'connected'], 1, [said(1, 'bob')]]);
});

test('a server that changes its room all the time is not asked without a pause', async () => {
  const server = serve();
  const { page } = notebook();
  const line = new Polling('ana', page);
  await line.join();
  const before = server.asked.length;
  let number = 0;
  Object.defineProperty(server, 'room', { get: () => `room ${number++}` });
  await pass(500);
  line.leave();
  assert.ok(server.asked.length - before <= 3, `${server.asked.length - before} questions in half a second`);
});

test('a long poll follows the other at once, as long as there is news', async () => {
  const server = serve();
  const { told, page } = notebook();
  const line = new Polling('ana', page, 20);
  await line.join();
  await pass(50);
  assert.equal(server.asked.at(-1), '/messages?after=2&user=ana&wait=20');
  const asked = server.asked.length;
  await pass(400);
  assert.equal(server.asked.length, asked, 'an answer without news, and no pause');
  server.messages.push(said(3));
  await pass(200);
  line.leave();
  const questions = server.asked.filter((path) => path.startsWith('/messages'));
  assert.deepEqual(questions.slice(-2), ['/messages?after=2&user=ana&wait=20', '/messages?after=3&user=ana&wait=20']);
  assert.deepEqual(told.shown, [said(1), said(2), said(3)]);
});

test('a long poll does not wait in a room that may be another one', async () => {
  const server = serve();
  const { told, page } = notebook();
  const line = new Polling('ana', page, 20);
  await line.join();
  server.away = true;
  await pass(1000);
  Object.assign(server, { away: false, room: 'b', messages: [said(1, 'bob')] });
  server.asked.length = 0;
  await pass(5000);
  line.leave();
  const questions = server.asked.filter((path) => path.startsWith('/messages'));
  assert.deepEqual(questions.slice(0, 3), [
    '/messages?after=2&user=ana',
    '/messages?after=0&user=ana',
    '/messages?after=1&user=ana&wait=20',
  ]);
  assert.deepEqual([told.states, told.restarts, told.shown], [['lost', 'connected'], 1, [said(1, 'bob')]]);
});

/** Somebody who listens, the stream, and what the page is told. */
async function listen() {
  serve();
  Source.all.length = 0;
  Object.assign(globalThis, { EventSource: Source });
  const { told, page } = notebook();
  const line = await lineOf('polling', 'events', 'ana & co', page);
  await line.join();
  assert.ok(line instanceof Events);
  return { line, told, stream: (number = -1) => /** @type {Source} */ (Source.all.at(number)) };
}

test('events come after what was said, each shown once', async () => {
  const { line, told, stream } = await listen();
  assert.equal(stream().url, '/events?after=2&user=ana%20%26%20co');
  stream().tell({ room: 'a', last: 2 }, 'room');
  await line.send('oi');
  stream().tell({ id: 3, user: 'ana & co', text: 'oi' });
  stream().tell(said(4));
  line.leave();
  assert.deepEqual(
    told.shown.map(({ id }) => id),
    [1, 2, 3, 4],
  );
  assert.deepEqual([told.states, stream().readyState], [['connected'], Source.CLOSED]);
});

test('the browser connects a stream again, but not one that was refused', async () => {
  const { line, told, stream } = await listen();
  stream().tell({ room: 'a', last: 2 }, 'room');
  stream().fail();
  stream().tell({ room: 'a', last: 2 }, 'room');
  assert.deepEqual([told.states, Source.all.length], [['connected', 'lost', 'connected'], 1]);
  stream().tell(said(3));
  stream().fail(Source.CLOSED);
  await pass(1000);
  assert.deepEqual([stream().url, Source.all.length], ['/events?after=3&user=ana%20%26%20co', 2]);
  line.wake();
  assert.equal(Source.all.length, 3, 'who is back does not wait');
  line.leave();
});

test('a stream of another room begins anew, whoever finds that out', async () => {
  const { line, told, stream } = await listen();
  stream().tell({ room: 'a', last: 2 }, 'room');
  stream().fail();
  stream().tell({ room: 'b', last: 1 }, 'room');
  assert.deepEqual([told.restarts, told.shown, stream(0).readyState], [1, [], Source.CLOSED]);
  assert.equal(stream().url, '/events?after=0&user=ana%20%26%20co');
  stream().tell({ room: 'b', last: 1 }, 'room');
  stream().tell(said(1, 'bob'));
  assert.deepEqual(told.shown, [said(1, 'bob')]);
  line.leave();
});

test('sockets close the gap after a connection was lost', async () => {
  const server = serve();
  const { told, page } = notebook();
  const { line, socket } = connect(page);
  await line.join();
  socket.emit('message', said(3));
  socket.lose();
  server.messages = [1, 2, 3, 4, 5].map((id) => said(id));
  socket.connect();
  await pass(0);
  socket.emit('messages', [said(5), said(6)]);
  line.leave();
  assert.deepEqual(
    told.shown.map(({ id }) => id),
    [1, 2, 3, 4, 5, 6],
  );
  assert.equal(server.asked.filter((path) => path.startsWith('/messages')).at(-1), '/messages?after=3');
  assert.deepEqual(told.states, ['lost', 'connected']);
});

test('sockets notice another room', async () => {
  const server = serve();
  const { told, page } = notebook();
  const { line, socket } = connect(page);
  await line.join();
  socket.lose();
  Object.assign(server, { room: 'b', messages: [said(1, 'bob')] });
  Object.assign(socket, { room: 'b', last: 1 });
  socket.connect();
  await pass(0);
  line.leave();
  assert.deepEqual([told.restarts, told.shown], [1, [said(1, 'bob')]]);
});

test('sockets ask for a message that does not come', async () => {
  const server = serve();
  const { told, page } = notebook();
  const { line, socket } = connect(page);
  await line.join();
  server.messages = [1, 2, 3, 4].map((id) => said(id));
  socket.emit('message', said(4));
  await pass(500);
  assert.deepEqual(
    told.shown.map(({ id }) => id),
    [1, 2, 4],
  );
  await pass(1000);
  line.leave();
  assert.deepEqual(
    told.shown.map(({ id }) => id),
    [1, 2, 4, 3],
  );
});

test('sockets show what we said once, whether or not it comes back', async () => {
  serve();
  const { told, page } = notebook();
  const { line, socket } = connect(page);
  await line.join();
  await line.send('oi');
  socket.emit('messages', [{ id: 3, user: 'ana', text: 'oi' }]);
  assert.deepEqual(told.shown.slice(2), [{ id: 3, user: 'ana', text: 'oi' }]);
  await assert.rejects(line.send('refused'), new Refused('The sentence.'));
  socket.lose();
  await assert.rejects(line.send('oi'), /no connection/);
  line.leave();
});

test('sockets follow who comes and goes, by code point', async () => {
  serve();
  const { told, page } = notebook();
  const { line, socket } = connect(page);
  await line.join();
  socket.emit('joined', { user: '😀' });
  socket.emit('joined', { user: '～' });
  socket.emit('left', { user: 'eve' });
  line.leave();
  assert.deepEqual(told.users, [['eve'], ['eve', '😀'], ['eve', '～', '😀'], ['～', '😀']]);
});

test('a name that is taken is refused at first', async () => {
  serve();
  const { page } = notebook();
  const { line, socket } = connect(page);
  socket.joins = [{ ok: false, error: 'Name already taken.' }];
  await assert.rejects(line.join(), new Refused('Name already taken.'));
  assert.equal(socket.connected, false);
});

test('a name that our own dead connection still holds is waited for', async () => {
  serve();
  const { told, page } = notebook();
  const { line, socket } = connect(page);
  await line.join();
  socket.lose();
  const taken = { ok: false, error: 'Name already taken.' };
  socket.joins = [taken, taken];
  socket.connect();
  await pass(5000);
  assert.deepEqual([told.states, told.expelled], [['lost', 'connected'], '']);

  socket.lose();
  socket.joins = Array(100).fill(taken);
  socket.connect();
  await pass(25_000);
  assert.deepEqual([told.expelled, socket.connected], ['Name already taken.', false]);
});

test('a connection that the server has closed is opened again after a while', async () => {
  serve();
  const { told, page } = notebook();
  const { line, socket } = connect(page);
  await line.join();
  socket.lose('io server disconnect');
  await pass(200);
  assert.deepEqual([told.states, socket.connected], [['lost'], false]);
  await pass(2000);
  line.leave();
  assert.deepEqual(told.states, ['lost', 'connected']);
});
