import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { createApp } from '../src/app.ts';
import { PiscinaDrawer } from '../src/piscina-drawer.ts';
import { createHttpServer } from '../src/server.ts';

const drawer = new PiscinaDrawer();
const log = mock.fn();
const server = createHttpServer(createApp(drawer, log, 1_024, pino({ enabled: false })));
await once(server.listen(0, '127.0.0.1'), 'listening');
after(() => {
  server.close();
  return drawer.close();
});

const { port } = server.address() as AddressInfo;
const url = `http://127.0.0.1:${port}`;

/** What comes back on a connection until the server closes it. */
function sendBytes(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

test('a result is logged, and has what was drawn', async () => {
  for (const path of ['/randoms', '/randoms/sync']) {
    const five = { count: 5, counts: { 234: 1, 370: 1, 462: 1, 690: 1, 696: 1 } };
    assert.deepEqual(await (await fetch(`${url}${path}?count=5&seed=1`)).json(), five);
    assert.deepEqual(log.mock.calls.at(-1)?.arguments, [five]);
  }
});

test('without a seed each result is another one', async () => {
  const [one, other] = [
    await (await fetch(`${url}/randoms?count=9`)).text(),
    await (await fetch(`${url}/randoms?count=9`)).text(),
  ];
  assert.notEqual(one, other);
});

test('a HEAD is answered without draws, and leaves no line', async () => {
  const lines = log.mock.callCount();
  const response = await fetch(`${url}/randoms/sync`, { method: 'HEAD' });
  assert.equal(response.headers.get('Content-Type'), 'application/json; charset=utf-8');
  assert.equal(log.mock.callCount(), lines);
});

test('between two results of /randoms/sync others are answered', async () => {
  const done: string[] = [];
  const ask = async (path: string) => {
    await (await fetch(url + path)).text();
    done.push(path);
  };
  const heavy = '/randoms/sync?count=20000000&seed=1';
  await Promise.all([...Array(4).fill(heavy), '/healthz'].map(ask));
  assert.notEqual(done.at(-1), '/healthz');
});

test('parameters are digits, and in their range', async () => {
  for (const query of [
    'count=100000001',
    'count=-1',
    'count=',
    'count=1e3',
    'seed=0',
    'seed=4294967296',
    'seed=1&seed=2',
  ]) {
    for (const path of ['/randoms', '/randoms/sync']) {
      const response = await fetch(`${url}${path}?${query}`);
      assert.equal(response.status, 400, query);
      assert.equal(response.headers.get('Content-Type'), 'application/problem+json; charset=utf-8');
    }
  }
});

test('a large result is compressed for a client that takes it', async () => {
  for (const [count, coding, expected] of [
    [5, 'gzip', null],
    [1_000, 'gzip', 'gzip'],
    [1_000, 'identity', null],
  ] as const) {
    const response = await fetch(`${url}/randoms?seed=1&count=${count}`, { headers: { 'Accept-Encoding': coding } });
    assert.equal(response.headers.get('Content-Encoding'), expected);
    assert.equal(((await response.json()) as { count: number }).count, count);
  }
});

test('a full queue is a 503, and clients that leave free it', async () => {
  const leaving = new AbortController();
  const heavy = Array.from({ length: 300 }, () =>
    drawer.draw(100_000_000, 1, leaving.signal).catch((error) => error.status),
  );
  assert.equal((await fetch(`${url}/randoms?count=1`)).status, 503);
  leaving.abort();
  assert.ok((await Promise.all(heavy)).includes(undefined));
  assert.equal((await fetch(`${url}/randoms?count=1`)).status, 200);
});

test('pipelined requests are served in turn, and none is refused before', async () => {
  const get = 'GET /randoms?count=1&seed=1 HTTP/1.1\r\nHost: a\r\n\r\n';
  const answers = await sendBytes(`${get}${get}nonsense\r\n\r\n`);
  assert.deepEqual(answers.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200']);
  assert.match(await sendBytes('nonsense\r\n\r\n'), /^HTTP\/1.1 400 /);
  assert.equal((await sendBytes(get.repeat(300))).match(/HTTP\/1.1 \d+/g)?.length, 100);
  assert.doesNotMatch(await sendBytes(get.repeat(1_200)), /HTTP\/1.1 [\s\S]+HTTP\/1.1 /);
  assert.match(await sendBytes('GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'), /^HTTP\/1.1 400 /);
});

test('clients that vanish after a CONNECT end nothing, and nothing of them waits', async () => {
  const get = 'GET /randoms?count=1000000&seed=1 HTTP/1.1\r\nHost: a\r\n\r\n';
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
