import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import createError from 'http-errors';
import { MongoServerError } from 'mongodb';
import pino from 'pino';
import { createApp } from '../src/app.ts';
import type { Database } from '../src/database.ts';
import { Links } from '../src/links.ts';
import { createHttpServer } from '../src/server.ts';

const ford = { hash: 'dktPz4', url: 'http://www.ford.com.br' };

// The database runs operations on a collection of one link.
const collection = {
  findOne: mock.fn(async (_filter: unknown): Promise<unknown> => ({ _id: ford.hash, url: ford.url })),
  insertOne: mock.fn(async (_link: { _id: string; url: string }) => {}),
};
const db = { command: async () => {}, collection: () => collection };
const run = mock.fn(async (operation: () => Promise<unknown>) => operation());
const links = new Links({ db, run } as unknown as Database);
const server = createHttpServer(createApp(links, pino({ enabled: false })));
await once(server.listen(0, '127.0.0.1'), 'listening');
after(() => server.close());

const { port } = server.address() as AddressInfo;
const url = `http://127.0.0.1:${port}`;

function get(path: string): Promise<Response> {
  return fetch(url + path, { redirect: 'manual' });
}

function post(body: string, type = 'application/json'): Promise<Response> {
  return fetch(`${url}/links`, { method: 'POST', body, headers: { 'Content-Type': type } });
}

/** What comes back on a connection until the server closes it. */
function sendBytes(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

test('a hash leads to its URL', async () => {
  const response = await get('/dktPz4?from=here');
  assert.equal(response.status, 301);
  assert.equal(response.headers.get('Location'), ford.url);
  assert.deepEqual(await (await get('/links/dktPz4')).json(), ford);
});

test('no link is a 404, and what is no hash is not asked for', async () => {
  collection.findOne.mock.mockImplementationOnce(async () => null);
  assert.equal((await get('/dktPz4')).status, 404);
  const calls = run.mock.callCount();
  for (const path of ['/dktPz', '/dktPz4a', '/dktPz%00', '/links/dktPz', '/links/', '/dktPz4/', '/']) {
    assert.equal((await get(path)).status, 404, path);
  }
  assert.equal(run.mock.callCount(), calls);
});

test('a URL gets a random hash, and another one if that is taken', async () => {
  collection.insertOne.mock.mockImplementationOnce(async () => {
    throw new MongoServerError({ message: 'duplicate key', code: 11_000 });
  });
  const response = await post(JSON.stringify({ url: ford.url }));
  assert.equal(response.status, 201);
  const { hash } = (await response.json()) as typeof ford;
  assert.equal(response.headers.get('Location'), `/${hash}`);
  const [first, second] = collection.insertOne.mock.calls.map((call) => call.arguments[0]);
  assert.match(String(first?._id), /^[0-9A-Za-z]{6}$/);
  assert.notEqual(first?._id, hash);
  assert.deepEqual(second, { _id: hash, url: ford.url });
});

test('what is no URL for a Location field is a 400', async () => {
  const calls = run.mock.callCount();
  const urls = ['', 'a.example', '//a.example', 'ftp://a.example', 'http://', 'http:a.example', 'http:///a.example'];
  const breaks = ['\r\nX: y', '\n', '\u2028', '\u010a', '\u0000', ' ', 'é', '\ud800'];
  for (const bad of [5, null, ...urls, ...breaks.map((end) => ford.url + end), `${ford.url}/${'a'.repeat(2_048)}`]) {
    assert.equal((await post(JSON.stringify({ url: bad }))).status, 400, String(bad));
  }
  assert.equal(run.mock.callCount(), calls);
});

test('a body that is no JSON object of the right type and size is refused', async () => {
  for (const body of ['', '{', '[]', '"http://a.example"', '{}', '{"link":"http://a.example"}']) {
    const response = await post(body);
    assert.equal(response.status, 400, body);
    assert.equal(response.headers.get('Content-Type'), 'application/problem+json');
  }
  assert.equal((await post('url=http://a.example', 'application/x-www-form-urlencoded')).status, 415);
  assert.equal((await post(' '.repeat(8_193))).status, 413);
});

test('a database away is a 503, an error of ours a 500 without its message', async () => {
  run.mock.mockImplementationOnce(() => Promise.reject(createError(503, 'The database is away.')));
  assert.equal((await get('/healthz')).status, 503);
  run.mock.mockImplementationOnce(() => Promise.reject(new Error('secret')));
  const response = await get('/dktPz4');
  assert.equal(response.status, 500);
  assert.doesNotMatch(await response.text(), /secret/);
});

test('pipelined requests are served in turn, and none is refused before', async () => {
  const lookup = 'GET /dktPz4 HTTP/1.1\r\nHost: a\r\n\r\n';
  for (const bad of ['nonsense\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n']) {
    const answers = await sendBytes(`${lookup}${lookup}${bad}`);
    assert.deepEqual(answers.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 301', 'HTTP/1.1 301'], bad);
    assert.match(await sendBytes(bad), /^HTTP\/1.1 400 /);
  }
  assert.equal((await sendBytes(lookup.repeat(300))).match(/HTTP\/1.1 \d+/g)?.length, 100);
  assert.doesNotMatch(await sendBytes(lookup.repeat(1_200)), /HTTP\/1.1 [\s\S]+HTTP\/1.1 /);
});

test('unsound framing is refused, and nothing behind it is done', async () => {
  const body = JSON.stringify({ url: ford.url });
  const create = `POST /links HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  for (const head of [
    'GET /dktPz4 HTTP/1.1\r\n',
    'GET /dktPz4 HTTP/1.1\r\nHost: a\r\nHost: b\r\n',
    'GET /dktPz4 HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n',
  ]) {
    const calls = run.mock.callCount();
    const answers = await sendBytes(`${head}\r\n${create}`);
    assert.deepEqual(answers.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 400'], head);
    assert.equal(run.mock.callCount(), calls);
  }
  const upgrade = await sendBytes(
    `GET /dktPz4 HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n${create}`,
  );
  assert.deepEqual(upgrade.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 301']);
});

test('a body may come in thousands of tiny chunks', async () => {
  const head =
    'POST /links HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
  const end = '0\r\n\r\nnonsense\r\n\r\n';
  assert.match(
    await sendBytes(`${head}1\r\n1\r\n${'1\r\n \r\n'.repeat(8_191)}${end}`),
    /^HTTP\/1.1 400 (?!.*must be JSON)/s,
  );
  assert.match(await sendBytes(`${head}1\r\n1\r\n${'1\r\n \r\n'.repeat(8_192)}${end}`), /^HTTP\/1.1 413 /);
});

test('clients that vanish after a CONNECT end nothing, and nothing of them waits', async () => {
  const get = 'GET /dktPz4 HTTP/1.1\r\nHost: a\r\n\r\n';
  const uncaught = mock.fn();
  process.on('uncaughtException', uncaught);
  for (let client = 0; client < 12; client += 1) {
    run.mock.mockImplementationOnce((operation) => sleep(50).then(operation));
    const socket = connect(port, '127.0.0.1');
    socket.write(`${get.repeat(100)}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`);
    await once(server, 'connect');
    socket.resetAndDestroy();
  }
  await sleep(100);
  const answers = await sendBytes(`${get.repeat(10)}nonsense\r\n\r\n`);
  assert.equal(answers.match(/HTTP\/1.1 301/g)?.length, 10);
  assert.equal(uncaught.mock.callCount(), 0);
});
