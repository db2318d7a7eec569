import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { PNG } from 'pngjs';
import { render } from '../../_shared/raytracer/src/raytracer.ts';
import { createApp } from '../src/app.ts';
import { InlineRenderer, PooledRenderer } from '../src/renderer.ts';
import { createHttpServer } from '../src/server.ts';

const renderer = new PooledRenderer();
const server = createHttpServer(createApp(renderer, pino({ enabled: false })));
await once(server.listen(0, '127.0.0.1'), 'listening');
after(() => {
  server.close();
  return renderer.close();
});

const { port } = server.address() as AddressInfo;
const url = `http://127.0.0.1:${port}`;

/** What comes back on a connection until the server closes it. */
function sendBytes(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

test('a picture has the pixels of the kernel', async () => {
  const response = await fetch(`${url}/render?width=16&height=9&depth=3`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('Content-Type'), 'image/png');
  const { data } = PNG.sync.read(Buffer.from(await response.arrayBuffer()));
  const rgb = data.filter((_byte, index) => index % 4 !== 3); // without alpha
  assert.deepEqual(rgb, Buffer.from(render(16, 9, 3)));
});

test('the event loop makes the same picture', async () => {
  const size = { width: 16, height: 9, depth: 3 };
  const { signal } = new AbortController();
  assert.deepEqual(
    await renderer.render(size, signal),
    new Uint8Array((await new InlineRenderer().render(size, signal)) ?? []),
  );
});

test('between two pictures of the event loop others have their turn', async () => {
  const inline = new InlineRenderer();
  const { signal } = new AbortController();
  let turns = 0;
  const turn = setInterval(() => {
    turns += 1;
  });
  await Promise.all(Array.from({ length: 5 }, () => inline.render({ width: 64, height: 48, depth: 3 }, signal)));
  clearInterval(turn);
  assert.ok(turns >= 3);
  assert.equal(await inline.render({ width: 1, height: 1, depth: 0 }, AbortSignal.abort()), undefined);
});

test('a HEAD is answered without a picture', async () => {
  const response = await fetch(`${url}/render?width=1920&height=1080&depth=10`, { method: 'HEAD' });
  assert.equal(response.headers.get('Content-Type'), 'image/png');
  assert.equal((await fetch(`${url}/render?width=0&height=9&depth=3`, { method: 'HEAD' })).status, 400);
});

test('parameters are digits, and in their range', async () => {
  for (const query of ['', 'width=1921', 'height=0', 'height=1081', 'depth=11', 'depth=-1', 'depth=', 'depth=0x1']) {
    const parameters = new URLSearchParams({
      width: '16',
      height: '9',
      depth: '3',
      ...Object.fromEntries(new URLSearchParams(query)),
    });
    if (query === '') {
      parameters.delete('width');
    }
    const response = await fetch(`${url}/render?${parameters}`);
    assert.equal(response.status, 400, query);
    assert.equal(response.headers.get('Content-Type'), 'application/problem+json; charset=utf-8');
  }
  assert.equal((await fetch(`${url}/render?width=16&width=16&height=9&depth=3`)).status, 400);
});

test('a full queue is a 503, and clients that leave free it', async () => {
  const leaving = new AbortController();
  const large = Array.from({ length: 300 }, () =>
    renderer.render({ width: 1_920, height: 1_080, depth: 10 }, leaving.signal).catch((error) => error.status),
  );
  assert.equal((await fetch(`${url}/render?width=16&height=9&depth=3`)).status, 503);
  leaving.abort();
  assert.deepEqual(new Set(await Promise.all(large)), new Set([undefined, 503]));
  assert.equal((await fetch(`${url}/render?width=16&height=9&depth=3`)).status, 200);
});

test('pipelined requests are served in turn, and none is refused before', async () => {
  const get = 'GET /render?width=16&height=9&depth=3 HTTP/1.1\r\nHost: a\r\n\r\n';
  const answers = await sendBytes(`${get}${get}nonsense\r\n\r\n`);
  assert.deepEqual(answers.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200']);
  assert.match(await sendBytes('nonsense\r\n\r\n'), /^HTTP\/1.1 400 /);
  assert.equal((await sendBytes(get.repeat(300))).match(/HTTP\/1.1 \d+/g)?.length, 100);
  const short = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'; // so many of them are read at once
  assert.doesNotMatch(await sendBytes(short.repeat(1_200)), /HTTP\/1.1 [\s\S]+HTTP\/1.1 /);
  assert.match(await sendBytes('GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'), /^HTTP\/1.1 400 /);
});

test('clients that vanish after a CONNECT end nothing, and nothing of them waits', async () => {
  const get = 'GET /render?width=160&height=90&depth=3 HTTP/1.1\r\nHost: a\r\n\r\n';
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
