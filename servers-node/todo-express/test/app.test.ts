import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import createError from 'http-errors';
import pino from 'pino';
import { createApp } from '../src/app.ts';
import type { Database } from '../src/database.ts';
import { createHttpServer } from '../src/server.ts';

const milk = { id: 1, title: 'milk', completed: false };

// The database is a function that answers with rows.
const query = mock.fn(async (_name: string, _text: string, _values?: unknown[]): Promise<unknown[]> => [milk]);
const database = { query } as unknown as Database;
const server = createHttpServer(createApp(database, pino({ enabled: false })));
await once(server.listen(0, '127.0.0.1'), 'listening');
after(() => server.close());

const { port } = server.address() as AddressInfo;
const url = `http://127.0.0.1:${port}`;

function send(method: string, path: string, body: string | Uint8Array<ArrayBuffer>, type = 'application/json') {
  return fetch(url + path, { method, body, headers: { 'Content-Type': type } });
}

/** What comes back on a connection until the server closes it. */
function sendBytes(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

test('a title alone makes a todo that is not completed', async () => {
  const response = await send('POST', '/todos', '{"title":"milk"}');
  assert.equal(response.status, 201);
  assert.equal(response.headers.get('Location'), '/todos/1');
  assert.deepEqual(await response.json(), milk);
  assert.deepEqual(query.mock.calls.at(-1)?.arguments[2], ['milk', false]);
});

test('a PATCH leaves alone what it does not name', async () => {
  assert.equal((await send('PATCH', '/todos/1', '{"title":"bread"}')).status, 200);
  assert.deepEqual(query.mock.calls.at(-1)?.arguments[2], [1, 'bread', undefined]);
});

test('a page says which todo it ends with, if there are more', async () => {
  query.mock.mockImplementationOnce(async () => [milk, { ...milk, id: 2 }]);
  assert.deepEqual(await (await fetch(`${url}/todos?limit=1`)).json(), { items: [milk], next: 1 });
  assert.deepEqual(await (await fetch(`${url}/todos?limit=1`)).json(), { items: [milk], next: null });
});

test('a body that breaks a rule is a 400', async () => {
  const calls = query.mock.callCount();
  const bodies = ['', '{', '[]', '{}', '{"title":5}', '{"title":" "}', '{"title":"\\u0000"}', '{"title":"\\ud800"}'];
  for (const body of [...bodies, JSON.stringify({ title: 'a'.repeat(201) }), Uint8Array.of(0x22, 0xff, 0x22)]) {
    const response = await send('POST', '/todos', body);
    assert.equal(response.status, 400, String(body));
    assert.equal(response.headers.get('Content-Type'), 'application/problem+json; charset=utf-8');
  }
  assert.equal(query.mock.callCount(), calls);
});

test('a body of another type or size is refused', async () => {
  assert.equal((await send('POST', '/todos', 'title=milk', 'text/plain')).status, 415);
  assert.equal((await send('POST', '/todos', ' '.repeat(65_537))).status, 413);
});

test('ids and parameters are digits, and in their range', async () => {
  for (const path of ['/0', '/one', '/1.0', '/0b1', '/9007199254740992', '?limit=101', '?limit=', '?limit=1&limit=2']) {
    assert.equal((await fetch(`${url}/todos${path}`)).status, 400, path);
  }
});

test('no row is a 404', async () => {
  query.mock.mockImplementationOnce(async () => []);
  assert.equal((await fetch(`${url}/todos/1`, { method: 'DELETE' })).status, 404);
});

test('a database away is a 503, an error of ours a 500 without its message', async () => {
  query.mock.mockImplementationOnce(() => Promise.reject(createError(503, 'The database is away.')));
  assert.equal((await fetch(`${url}/healthz`)).status, 503);
  query.mock.mockImplementationOnce(() => Promise.reject(new Error('secret')));
  const response = await fetch(`${url}/todos`);
  assert.equal(response.status, 500);
  assert.doesNotMatch(await response.text(), /secret/);
});

test('pipelined requests are served in turn, and none is refused before', async () => {
  const get = 'GET /todos/1 HTTP/1.1\r\nHost: a\r\n\r\n';
  const answers = await sendBytes(`${get}${get}nonsense\r\n\r\n`);
  assert.deepEqual(answers.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200']);
  assert.match(await sendBytes('nonsense\r\n\r\n'), /^HTTP\/1.1 400 /);
  assert.equal((await sendBytes(get.repeat(300))).match(/HTTP\/1.1 \d+/g)?.length, 100);
  assert.doesNotMatch(await sendBytes(get.repeat(1_200)), /HTTP\/1.1 [\s\S]+HTTP\/1.1 /);
  const refused = await sendBytes(`${get}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`);
  assert.deepEqual(refused.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 200']);
});

test('unsound framing is refused, and nothing behind it is done', async () => {
  const post =
    'POST /todos HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{"title":"milk"}';
  for (const head of [
    'GET /todos HTTP/1.1\r\n',
    'GET /todos HTTP/1.1\r\nHost: a\r\nHost: b\r\n',
    'GET /todos HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n',
  ]) {
    const calls = query.mock.callCount();
    const answers = await sendBytes(`${head}\r\n${post}`);
    assert.deepEqual(answers.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 400'], head);
    assert.equal(query.mock.callCount(), calls);
  }
  const upgrade = await sendBytes(
    `GET /todos/1 HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n${post}`,
  );
  assert.deepEqual(upgrade.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 200']);
});

test('a body in thousands of tiny chunks is too large', async () => {
  const head =
    'POST /todos HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
  assert.match(
    await sendBytes(`${head}${'1\r\n \r\n'.repeat(2_000)}`),
    /^HTTP\/1.1 413 [\s\S]*\r\nConnection: close\r\n/,
  );
  assert.match(await sendBytes(`${head}${'1\r\n \r\n'.repeat(900)}0\r\n\r\nnonsense\r\n\r\n`), /^HTTP\/1.1 400 /);
});

test('clients that vanish after a CONNECT end nothing, and nothing of them waits', async () => {
  const get = 'GET /todos/1 HTTP/1.1\r\nHost: a\r\n\r\n';
  const uncaught = mock.fn();
  process.on('uncaughtException', uncaught);
  for (let client = 0; client < 12; client += 1) {
    query.mock.mockImplementationOnce(() => sleep(50, [milk]));
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
