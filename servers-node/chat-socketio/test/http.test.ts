import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { createApp } from '../src/app.ts';
import { each } from '../src/delivery.ts';
import { inTurn } from '../src/pipelining.ts';
import { Room } from '../src/room.ts';
import { createChatServer } from '../src/server.ts';

const { server, io } = createChatServer('each', pino({ enabled: false }));
await once(server.listen(0, '127.0.0.1'), 'listening');
after(() => io.close());

const { port } = server.address() as AddressInfo;
const url = `http://127.0.0.1:${port}`;

function post(body: string | Uint8Array<ArrayBuffer>, type = 'application/json') {
  return fetch(`${url}/messages`, { method: 'POST', body, headers: { 'Content-Type': type } });
}

// biome-ignore lint/suspicious/noExplicitAny: the tests say what it is
async function get(path: string): Promise<any> {
  return (await fetch(url + path)).json();
}

/** What comes back on a connection until the server closes it. */
function sendBytes(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

test('ids count up, and a reader goes on after the last', async () => {
  const { room, last } = await get('/messages');
  const response = await post('{"user":"ana","text":"oi"}');
  assert.equal(response.status, 201);
  assert.deepEqual(await response.json(), { room, id: last + 1, user: 'ana', text: 'oi' });
  const messages = [{ id: last + 1, user: 'ana', text: 'oi' }];
  assert.deepEqual(await get(`/messages?after=${last}`), { room, messages, last: last + 1 });
  assert.deepEqual(await get(`/messages?after=${last + 1}&user=ana`), { room, messages: [], last: last + 1 });
  assert.deepEqual(await get('/messages?after=9007199254740991'), { room, messages: [], last: last + 1 });
  assert.deepEqual(await get('/presence'), { room, users: [] });
});

test('the room keeps the newest thousand', () => {
  const room = new Room();
  for (let number = 1; number <= 1_001; number += 1) {
    room.post('ana', `${number}`);
  }
  assert.equal(room.since(0).length, 1_000);
  assert.equal(room.since(0)[0]?.id, 2);
  assert.deepEqual(room.since(1_000), [{ id: 1_001, user: 'ana', text: '1001' }]);
});

test('what breaks a rule is a 400', async () => {
  const wrong = ['', 5, null, 'a\n', '\u007f', '\u0085', '\ud83d', 'a'.repeat(501), ['a']];
  const bodies = wrong.flatMap((value) => [
    { user: 'ana', text: value },
    { user: value, text: 'oi' },
  ]);
  for (const body of ['', '{', '[]', '{}', '"a"', ...bodies.map((value) => JSON.stringify(value))]) {
    const response = await post(body);
    assert.equal(response.status, 400, body);
    assert.equal(response.headers.get('Content-Type'), 'application/problem+json; charset=utf-8');
  }
  assert.equal((await post(Uint8Array.of(0x22, 0xff, 0x22))).status, 400);
  for (const query of ['after=-1', 'after=', 'after=1.0', 'after=9007199254740992', 'after=1&after=2', 'user=']) {
    assert.equal((await fetch(`${url}/messages?${query}`)).status, 400, query);
  }
});

test('a body of another type or size is refused', async () => {
  assert.equal((await post('user=ana', 'text/plain')).status, 415);
  assert.equal((await post(' '.repeat(65_537))).status, 413);
});

test('the page allows only its own scripts, and its files are there', async () => {
  const page = await fetch(url);
  assert.match(page.headers.get('Content-Security-Policy') ?? '', /^default-src 'self';/);
  assert.match(await page.text(), /data-transport="socket.io"/);
  assert.equal((await fetch(`${url}/assets/chat.js`)).headers.get('Content-Type'), 'text/javascript; charset=utf-8');
  assert.equal((await fetch(`${url}/assets/nothing.js`)).status, 404);
  assert.equal((await fetch(`${url}/assets/%2e%2e/package.json`)).status, 404);
});

test('pipelined requests are served in turn, whether Express or Socket.IO answers', async () => {
  const get = 'GET /presence HTTP/1.1\r\nHost: a\r\n\r\n';
  const handshake = 'GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: a\r\n\r\n';
  const answers = await sendBytes(`${get}${handshake}${get}nonsense\r\n\r\n`);
  assert.deepEqual(answers.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 200']);
  assert.equal((await sendBytes(get.repeat(300))).match(/HTTP\/1.1 \d+/g)?.length, 100);
  assert.doesNotMatch(await sendBytes(get.repeat(1_200)), /HTTP\/1.1 [\s\S]+HTTP\/1.1 /);
  const post = 'POST /messages HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
  const upgrade =
    'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket';
  const late = await sendBytes(`${post}${upgrade}\r\n\r\nnonsense\r\n\r\n`);
  assert.deepEqual(late.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 400', 'HTTP/1.1 400']);
});

test('unsound framing is refused, and a method that Socket.IO does not know', async () => {
  const heads = [
    'GET /presence HTTP/1.1\r\n',
    'GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: a\r\nHost: b\r\n',
    'POST /socket.io/?EIO=4&transport=polling HTTP/1.0\r\nTransfer-Encoding: chunked\r\n',
  ];
  for (const head of heads) {
    assert.match(await sendBytes(`${head}\r\n0\r\n\r\n`), /^HTTP\/1.1 400 /, head);
  }
  const upgrade = await sendBytes(
    `GET /presence HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n${heads[0]}`,
  );
  assert.deepEqual(upgrade.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 200']);
  const sid = /"sid":"([^"]+)/.exec(await (await fetch(`${url}/socket.io/?EIO=4&transport=polling`)).text())?.[1];
  const deleted = await fetch(`${url}/socket.io/?EIO=4&transport=polling&sid=${sid}`, { method: 'DELETE' });
  assert.equal(deleted.status, 405);
});

test('what clients do not read has a bound', { timeout: 60_000 }, async () => {
  const room = new Room();
  for (let message = 0; message < 1_000; message += 1) {
    room.post('ana', '\u{1f600}'.repeat(500)); // an answer with all does not fit into the buffers of a socket
  }
  const sockets: Socket[] = [];
  const app = createApp(room, each(io), 'socket.io', pino({ enabled: false }));
  const full = createServer(inTurn(app));
  full.on('connection', (socket) => sockets.push(socket));
  await once(full.listen(0, '127.0.0.1'), 'listening');
  const silent = Array.from({ length: 40 }, () => connect((full.address() as AddressInfo).port, '127.0.0.1').pause());
  for (const socket of silent) {
    socket.write('GET /messages HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(5));
  }
  while (!sockets.some(({ destroyed }) => destroyed)) {
    await sleep(10);
  }
  assert.ok(sockets.reduce((sum, { writableLength }) => sum + writableLength, 0) <= 64 * 1024 * 1024);
  for (const socket of silent) {
    socket.destroy();
  }
  full.close();
});

test('a body in thousands of tiny chunks is too large', async () => {
  const head =
    'POST /messages HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
  assert.match(
    await sendBytes(`${head}${'1\r\n \r\n'.repeat(2_000)}`),
    /^HTTP\/1.1 413 [\s\S]*\r\nConnection: close\r\n/,
  );
  assert.match(await sendBytes(`${head}${'1\r\n \r\n'.repeat(900)}0\r\n\r\nnonsense\r\n\r\n`), /^HTTP\/1.1 400 /);
});

/** How often this process has opened the largest file of the page. */
async function opened(): Promise<number> {
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
  return (await Promise.all(links)).filter((link) => link.endsWith('/assets/socket.io.js')).length;
}

test('pipelined requests for a file open one at a time, and none stays open for a client that leaves', async () => {
  const socket = connect(port, '127.0.0.1').pause();
  socket.write('GET /assets/socket.io.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100));
  const numbers = new Set<number>();
  for (let look = 0; look < 50; look += 1) {
    numbers.add(await opened());
  }
  assert.equal(Math.max(...numbers), 1);
  socket.resetAndDestroy();
  while ((await opened()) > 0) {
    await sleep(10);
  }
});

test('clients that vanish after a CONNECT end nothing, and nothing of them waits', async () => {
  const get = 'GET /assets/icon.svg HTTP/1.1\r\nHost: a\r\n\r\n';
  const uncaught = mock.fn();
  process.on('uncaughtException', uncaught);
  for (let client = 0; client < 12; client += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.write(`${get.repeat(100)}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`);
    await once(server, 'connect');
    socket.resetAndDestroy();
  }
  await sleep(100);
  const answers = await sendBytes(`${get.repeat(10)}nonsense\r\n\r\n`);
  assert.equal(answers.match(/HTTP\/1.1 200/g)?.length, 10);
  assert.equal(uncaught.mock.callCount(), 0);
});
