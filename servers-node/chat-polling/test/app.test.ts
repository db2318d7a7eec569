import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { createApp } from '../src/app.ts';
import { Room } from '../src/room.ts';
import { createHttpServer } from '../src/server.ts';

const room = new Room();
const server = createHttpServer(createApp(room, pino({ enabled: false })));
await once(server.listen(0, '127.0.0.1'), 'listening');
after(() => server.close());

const { port } = server.address() as AddressInfo;
const url = `http://127.0.0.1:${port}`;

function post(body: string, type = 'application/json') {
  return fetch(`${url}/messages`, { method: 'POST', body, headers: { 'Content-Type': type } });
}

/** What comes back on a connection until the server closes it. */
function sendBytes(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

test('a message is there for who polls, and a poll with a name makes present', async () => {
  const { last } = room;
  const response = await post('{"user":"ana","text":"<b>oi</b>"}');
  assert.equal(response.status, 201);
  assert.deepEqual(await response.json(), { room: room.name, id: last + 1, user: 'ana', text: '<b>oi</b>' });
  const poll = await fetch(`${url}/messages?after=${last}&user=bia%2Bc`);
  const message = { id: last + 1, user: 'ana', text: '<b>oi</b>' };
  assert.deepEqual(await poll.json(), { room: room.name, messages: [message], last: last + 1 });
  assert.deepEqual(await (await fetch(`${url}/presence`)).json(), { room: room.name, users: ['bia+c'] });
});

test('what breaks a rule is a 400, and gets no id', async () => {
  const { last } = room;
  const texts = ['""', '"\\n"', '"\\u0000"', '"\\ud800"', '5', 'null', JSON.stringify('a'.repeat(501))];
  const bodies = ['', '{', '[]', '{}', '{"text":"oi"}', ...texts.map((text) => `{"user":"ana","text":${text}}`)];
  for (const body of [...bodies, JSON.stringify({ user: 'a'.repeat(33), text: 'oi' })]) {
    assert.equal((await post(body)).status, 400, body);
  }
  assert.equal((await post('oi', 'text/plain')).status, 415);
  assert.equal((await post(' '.repeat(65_537))).status, 413);
  for (const query of [
    'after=',
    'after=x',
    'after=-1',
    'after=9007199254740992',
    `after=${'9'.repeat(400)}`,
    'after=0&after=1',
    'user=',
  ]) {
    assert.equal((await fetch(`${url}/messages?${query}`)).status, 400, query);
  }
  assert.equal(room.last, last);
});

test('the page runs nothing but its own files', async () => {
  const page = await fetch(url);
  assert.match(String(page.headers.get('Content-Security-Policy')), /default-src 'self'/);
  assert.match(await page.text(), /data-transport="polling"/);
  assert.equal((await fetch(`${url}/assets/chat.js`)).headers.get('Content-Type'), 'text/javascript; charset=utf-8');
  assert.equal((await fetch(`${url}/assets/..%2fREADME.md`)).status, 404);
});

test('messages of one connection are posted in their order', async () => {
  const { last } = room;
  const body = '{"user":"ana","text":"oi"}';
  const head = `POST /messages HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  const get = `GET /messages?after=${last + 2} HTTP/1.1\r\nHost: a\r\nConnection: close`;
  const answers = await sendBytes(`${head}\r\n\r\n${body}${head}\r\n\r\n${body}${get}\r\n\r\n`);
  const ids = answers.match(/"(id|last)":\d+/g);
  assert.deepEqual(ids, [`"id":${last + 1}`, `"id":${last + 2}`, `"last":${last + 2}`]);
});

/** An answer with all messages does not fit into the buffers of a socket. */
function fill(): void {
  for (let message = 0; message < 1_000; message += 1) {
    room.post('ana', '\u{1f600}'.repeat(500));
  }
}

test('a question that waits is answered with the next message, or when its time is over', async () => {
  const { last } = room;
  const asked = fetch(`${url}/messages?after=${last}&wait=20`);
  const begun = performance.now();
  const none = await fetch(`${url}/messages?after=${last + 1}&wait=1`);
  assert.deepEqual(await none.json(), { room: room.name, messages: [], last });
  assert.ok(performance.now() - begun > 990);
  const message = room.post('ana', 'oi');
  assert.deepEqual(await (await asked).json(), { room: room.name, messages: [message], last: last + 1 });
  for (const query of ['wait=21', 'wait=-1', 'wait=1.5', 'wait=x']) {
    assert.equal((await fetch(`${url}/messages?${query}`)).status, 400, query);
  }
});

test('nothing of a client stays that leaves while it waits', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET /messages?after=${room.last}&wait=20 HTTP/1.1\r\nHost: a\r\n\r\n`);
  while (room.listenerCount('news') === 0) {
    await sleep(10);
  }
  socket.destroy();
  while (room.listenerCount('news') > 0) {
    await sleep(10);
  }
});

/** The text of a stream, until it has so many events. */
async function hear(response: globalThis.Response, events: number): Promise<string> {
  let heard = '';
  for await (const chunk of response.body ?? []) {
    heard += Buffer.from(chunk);
    if (heard.split('\n\n').length > events) {
      break;
    }
  }
  return heard;
}

test('events tell the room, what was said after the last event, and what comes', async () => {
  const [first, second] = [room.post('ana', 'oi'), room.post('bia', '"\u2028"')];
  const headers = { 'Last-Event-ID': `${first.id}` };
  const response = await fetch(`${url}/events?after=0&user=caio`, { headers });
  assert.match(String(response.headers.get('Content-Type')), /^text\/event-stream/);
  assert.equal(response.headers.get('Cache-Control'), 'no-store');
  assert.ok(room.users().includes('caio'));
  const third = room.post('ana', 'again');
  const event = (message: { id: number }) => `id: ${message.id}\ndata: ${JSON.stringify(message)}\n\n`;
  const begin = `event: room\ndata: ${JSON.stringify({ room: room.name, last: second.id })}\n\n`;
  assert.equal(await hear(response, 3), begin + event(second) + event(third));
  while (room.listenerCount('news') > 0) {
    await sleep(10);
  }
});

test('HEAD of events ends', async () => {
  const answer = await fetch(`${url}/events`, { method: 'HEAD' });
  assert.match(String(answer.headers.get('Content-Type')), /^text\/event-stream/);
  assert.equal((await fetch(`${url}/events?after=x`, { method: 'HEAD' })).status, 400);
});

test('a stream that is not read keeps little, and ends with the first message that the room has forgotten', async () => {
  fill();
  const socket = connect(port, '127.0.0.1').pause();
  const [accepted] = (await once(server, 'connection')) as [Socket];
  socket.write('GET /events HTTP/1.1\r\nHost: a\r\n\r\n');
  while (room.listenerCount('news') === 0) {
    await sleep(10);
  }
  for (let round = 0; round < 50 && !accepted.destroyed; round += 1) {
    fill();
    assert.ok(accepted.writableLength < 128 * 1024, `${accepted.writableLength}`);
    await sleep(10);
  }
  assert.ok(accepted.destroyed);
  socket.destroy();
});

test('what clients do not read has a bound', { timeout: 60_000 }, async () => {
  fill();
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  const silent = Array.from({ length: 40 }, () => connect(port, '127.0.0.1').pause());
  for (const socket of silent) {
    socket.write('GET /messages HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(5));
  }
  while (!sockets.some(({ destroyed }) => destroyed)) {
    await sleep(10);
  }
  assert.ok(sockets.reduce((sum, { writableLength }) => sum + writableLength, 0) <= 64 * 1024 * 1024);
  assert.equal((await fetch(`${url}/messages`)).status, 200);
  for (const socket of silent) {
    socket.destroy();
  }
});

test('pipelined requests are served in turn, and none is refused before', async () => {
  const get = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
  for (const bad of ['nonsense\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n']) {
    const answers = await sendBytes(`${get}${get}${bad}`);
    assert.deepEqual(answers.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200'], bad);
    assert.match(await sendBytes(bad), /^HTTP\/1.1 400 /);
  }
  assert.equal((await sendBytes(get.repeat(300))).match(/HTTP\/1.1 \d+/g)?.length, 100);
  assert.doesNotMatch(await sendBytes(get.repeat(1_200)), /HTTP\/1.1 [\s\S]+HTTP\/1.1 /);
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
  const get = 'GET /messages HTTP/1.1\r\nHost: a\r\n\r\n';
  fill();
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
