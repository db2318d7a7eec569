import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Sockets } from '../assets/lines.js';
import { Refused } from '../assets/room.js';
import { ioOf } from '../assets/websocket.js';

/** A WebSocket in place of the browser's. */
class FakeSocket extends EventTarget {
  /** @type {FakeSocket[]} */
  static all = [];
  sent = /** @type {any[]} */ ([]);

  constructor(/** @type {string} */ url) {
    super();
    this.url = url;
    FakeSocket.all.push(this);
  }

  send(/** @type {string} */ data) {
    this.sent.push(JSON.parse(data));
  }

  close() {}

  take(/** @type {object[]} */ ...frames) {
    for (const frame of frames) this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }));
  }

  open(/** @type {object} */ first) {
    this.dispatchEvent(new Event('open'));
    this.take(first);
  }

  lose(wasClean = false) {
    this.dispatchEvent(Object.assign(new Event('close'), { wasClean }));
  }
}

const ENTERED = { room: 'a', last: 2 };
const TAKEN = { error: 'Name already taken.' };
const said = (/** @type {number} */ id, user = 'eve') => ({ id, user, text: `message ${id}` });

/** The connection that was opened last, once there are so many. */
async function connection(/** @type {number} */ number) {
  await turn();
  assert.equal(FakeSocket.all.length, number);
  return /** @type {FakeSocket} */ (FakeSocket.all.at(-1));
}

async function turn() {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

async function pass(/** @type {number} */ milliseconds) {
  for (let passed = 0; passed < milliseconds; passed += 50) {
    await turn();
    mock.timers.tick(50);
  }
  await turn();
}

/** A line of somebody, what its page was told, and what the server has. */
function visit() {
  const server = { room: 'a', messages: [said(1), said(2)], users: ['eve'] };
  mock.method(globalThis, 'fetch', async (/** @type {string} */ path) => {
    const { pathname, searchParams } = new URL(path, 'http://localhost');
    if (pathname === '/presence') return Response.json(server);
    const messages = server.messages.filter(({ id }) => id > Number(searchParams.get('after')));
    return Response.json({ room: server.room, messages, last: server.messages.length });
  });
  const told = {
    shown: /** @type {number[]} */ ([]),
    users: /** @type {string[][]} */ ([]),
    states: /** @type {string[]} */ ([]),
  };
  const page = {
    changed: (/** @type {import('../assets/room.js').Change} */ { added }) =>
      void told.shown.push(...added.map(({ id }) => id)),
    here: (/** @type {string[]} */ users) => void told.users.push(users),
    state: (/** @type {string} */ state) => void (told.states.at(-1) !== state && told.states.push(state)),
    expelled: (/** @type {string} */ why) => void told.states.push(why),
  };
  return { server, told, line: new Sockets('ana & co', page, /** @type {any} */ (ioOf('ana & co'))) };
}

test.beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  FakeSocket.all = [];
  Object.assign(globalThis, { WebSocket: FakeSocket, location: { origin: 'https://chat.example' } });
});
test.afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

test('frames become what Socket.IO would tell', async () => {
  const { told, line } = visit();
  const joining = line.join();
  const socket = await connection(1);
  assert.equal(socket.url, 'wss://chat.example/ws?user=ana%20%26%20co');
  socket.open(ENTERED);
  await joining;
  socket.take({ joined: 'bia' }, said(3), { left: 'eve' }, { ping: true });
  const sending = [line.send('oi'), line.send('')];
  socket.take({ id: 4 }, { error: 'The sentence.' });
  await assert.rejects(Promise.all(sending), new Refused('The sentence.'));
  line.leave();
  assert.deepEqual(socket.sent, [{ pong: true }, { text: 'oi' }, { text: '' }]);
  assert.deepEqual(told, { shown: [1, 2, 3, 4], users: [['eve'], ['bia', 'eve'], ['bia']], states: [] });
});

test('a server that is not there is said at first', async () => {
  const { line } = visit();
  const joining = assert.rejects(line.join(), /does not answer/);
  (await connection(1)).lose();
  await joining;
  await pass(10_000);
  await connection(1);
});

test('a lost connection is opened again, until there is one', async () => {
  const { server, told, line } = visit();
  const joining = line.join();
  (await connection(1)).open(ENTERED);
  await joining;
  const sending = assert.rejects(line.send('oi'), /connection is gone/);
  FakeSocket.all[0]?.lose();
  await sending;
  await pass(1000);
  (await connection(2)).lose();
  await pass(2000);
  server.messages.push(said(3));
  (await connection(3)).open({ room: 'a', last: 3 });
  await pass(100);
  assert.deepEqual(
    [told.shown, told.states],
    [
      [1, 2, 3],
      ['lost', 'connected'],
    ],
  );
  line.leave();
});

test('a server that says nothing any more is gone', async () => {
  const { told, line } = visit();
  const joining = line.join();
  (await connection(1)).open(ENTERED);
  await joining;
  await pass(10_000);
  FakeSocket.all[0]?.take({ ping: true });
  await pass(10_000);
  assert.deepEqual(told.states, []);
  await pass(5000);
  assert.deepEqual(told.states, ['lost']);
  await connection(2);
  line.leave();
});

test('a name that is taken is refused at first', async () => {
  const { line } = visit();
  const joining = assert.rejects(line.join(), new Refused('Name already taken.'));
  const socket = await connection(1);
  socket.open(TAKEN);
  socket.lose(true);
  await joining;
  await pass(10_000);
  await connection(1);
});

test('a name that our own dead connection still holds is waited for', async () => {
  const { told, line } = visit();
  const joining = line.join();
  (await connection(1)).open(ENTERED);
  await joining;
  FakeSocket.all[0]?.lose();
  await pass(1000);
  for (let number = 2; number < 4; number++) {
    const socket = await connection(number);
    socket.open(TAKEN);
    socket.lose(true);
    await pass(1500);
  }
  (await connection(4)).open(ENTERED);
  await pass(100);
  assert.deepEqual(told.states, ['lost', 'connected']);
  line.leave();
});

test('a connection that the server has closed is opened again after a while', async () => {
  const { told, line } = visit();
  const joining = line.join();
  (await connection(1)).open(ENTERED);
  await joining;
  FakeSocket.all[0]?.lose(true);
  await pass(200);
  await connection(1);
  await pass(2000);
  (await connection(2)).open(ENTERED);
  await pass(100);
  line.leave();
  assert.deepEqual(told.states, ['lost', 'connected']);
});
