import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readlink, rm, truncate, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, beforeEach, mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { createApp } from '../src/app.ts';
import { createHttpServer } from '../src/server.ts';
import { UploadFolder } from '../src/upload-folder.ts';

const folder = new UploadFolder(await mkdtemp(join(tmpdir(), 'uploads-')));
const limits = { maxFileBytes: 1_000, maxRequestBytes: 2_000 };
const server = createHttpServer(createApp(folder, limits, pino({ enabled: false })));
await once(server.listen(0, '127.0.0.1'), 'listening');
after(async () => {
  server.close();
  await rm(folder.path, { recursive: true });
});
beforeEach(async () => {
  await Promise.all((await readdir(folder.path)).map((name) => rm(join(folder.path, name))));
});

const { port } = server.address() as AddressInfo;
const url = `http://127.0.0.1:${port}`;

function form(...files: [name: string, size: number][]): FormData {
  const data = new FormData();
  for (const [name, size] of files) {
    data.append('files[]', new Blob(['x'.repeat(size)]), name);
  }
  return data;
}

async function post(body: FormData | ReadableStream<Uint8Array>, headers = {}): Promise<number> {
  return (await fetch(`${url}/uploads`, { method: 'POST', body, headers, duplex: 'half' } as RequestInit)).status;
}

/** Begins a form: a part, and what comes in it. */
function begin(bytes: string, length: number): Socket {
  const socket = connect(port, '127.0.0.1');
  const head = `POST /uploads HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\n`;
  const part = '--b\r\nContent-Disposition: form-data; name="files[]"; filename="a"\r\n';
  socket.write(`${head}Content-Length: ${length || part.length + bytes.length}\r\n\r\n${part}${bytes}`);
  return socket;
}

/** What comes back on a connection until the server closes it. */
function sendBytes(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

async function leaves(names: string[]): Promise<void> {
  for (let tries = 0; tries < 100 && (await readdir(folder.path)).length !== names.length; tries += 1) {
    await sleep(10);
  }
  assert.deepEqual(await readdir(folder.path), names);
}

test('files are stored in their order, and come back as attachments', async () => {
  const response = await fetch(`${url}/uploads`, { method: 'POST', body: form(['Käse/a.txt', 5], ['b', 0]) });
  assert.equal(response.status, 201);
  const { files } = (await response.json()) as { files: { id: string; name: string; size: number }[] };
  assert.deepEqual(
    files.map(({ name, size }) => [name, size]),
    [
      ['a.txt', 5],
      ['b', 0],
    ],
  );
  const file = await fetch(`${url}/uploads/${files[0]?.id}`);
  assert.equal(await file.text(), 'xxxxx');
  assert.equal(file.headers.get('Content-Type'), 'application/octet-stream');
  assert.equal(file.headers.get('Content-Disposition'), 'attachment');
  for (const { id } of files) {
    assert.equal((await fetch(`${url}/uploads/${id}`, { method: 'DELETE' })).status, 204);
    assert.equal((await fetch(`${url}/uploads/${id}`, { method: 'DELETE' })).status, 404);
  }
  await leaves([]);
});

test('what breaks a rule is refused, and leaves nothing', async () => {
  const fields = form(['a', 1]);
  for (let number = 0; number <= 10; number += 1) {
    fields.append('comment', 'x');
  }
  const elsewhere = new FormData();
  elsewhere.append('other', new Blob(['x']), 'a');
  for (const body of [form(), form(['a', 1], ['b', 1], ['c', 1]), form(['', 1]), fields, elsewhere]) {
    assert.equal(await post(body), 400);
  }
  assert.equal(await post(form(['a', 1]), { 'Content-Type': 'text/plain' }), 415);
  assert.equal(await post(form(['a', 1_001])), 413);
  assert.equal(await post(form(['a', 1_000])), 201);
  const type = { 'Content-Type': 'multipart/form-data; boundary=b' };
  assert.equal(await post(new Blob(['x'.repeat(2_001)]).stream(), type), 413);
  assert.equal(await post(form(['a', 1_000], ['b', 1_000])), 413);
  assert.equal((await readdir(folder.path)).length, 1);
});

test('nothing has its name before the form has ended, and nothing stays of one that breaks off', async () => {
  const socket = begin('\r\nxxx', 1_000);
  await sleep(100);
  assert.match(String(await readdir(folder.path)), /^\.part-[0-9a-f-]+$/);
  socket.destroy();
  await leaves([]);
});

test('nothing stays of a form without its end', async () => {
  const [answer] = await once(begin('\r\nxxx', 0), 'data');
  assert.match(String(answer), /^HTTP\/1.1 400 /);
  await leaves([]);
});

test('a form that its parser never ends leaves nothing once its connection is closed', async () => {
  const socket = begin('\r\nxxx\r\n--b\r\nX: y\r\n--b--\r\n', 0);
  await sleep(100);
  socket.destroy();
  await leaves([]);
});

test('only whole uploads can be read or deleted', async () => {
  await writeFile(join(folder.path, '.part-0'), 'x');
  await writeFile(join(folder.path, 'notes'), 'x');
  for (const id of ['notes', '.part-0', '%2Epart-0', '..%2F..%2Fetc%2Fpasswd', 'x', '%00', '']) {
    assert.equal((await fetch(`${url}/uploads/${id}`)).status, 404, id);
    assert.equal((await fetch(`${url}/uploads/${id}`, { method: 'DELETE' })).status, 404, id);
  }
  assert.deepEqual(await folder.parts(), [join(folder.path, '.part-0')]);
});

test('of a form whose files cannot all get their names, none stays', async () => {
  const id = randomUUID();
  await writeFile(join(folder.path, `.part-${id}`), 'x');
  await assert.rejects(folder.keep([randomUUID(), id]), { code: 'ENOENT' });
  await leaves([]);
});

test('an error that no client has made is a 500', async () => {
  mock.method(folder, '_handleFile', (_request: unknown, _file: unknown, done: (error: Error) => void) => {
    done(new TypeError('x is not a function'));
  });
  assert.equal(await post(form(['a', 1])), 500);
  mock.restoreAll();
});

test('a form in thousands of tiny chunks is cut', async () => {
  const socket = connect(port, '127.0.0.1');
  const head = 'POST /uploads HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\n';
  const part = '--b\r\nContent-Disposition: form-data; name="files[]"; filename="a"\r\n\r\n';
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${part.length.toString(16)}\r\n${part}\r\n`);
  socket.write('1\r\nx\r\n'.repeat(990)); // the limit of a file is 1,000 bytes here
  socket.write('1\r\nx\r\n'.repeat(20));
  assert.equal(await text(socket), '');
});

/** How often this process has opened a file. */
async function opened(path: string): Promise<number> {
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
  return (await Promise.all(links)).filter((link) => link === path).length;
}

test('pipelined downloads open one file at a time, and none stays open for a client that leaves', async () => {
  const id = randomUUID();
  const path = join(folder.path, id);
  await writeFile(path, '');
  await truncate(path, 50_000_000);
  const socket = connect(port, '127.0.0.1').pause();
  socket.write(`GET /uploads/${id} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(100));
  while ((await opened(path)) === 0) {
    await sleep(10);
  }
  await sleep(100);
  assert.equal(await opened(path), 1);
  socket.resetAndDestroy();
  while ((await opened(path)) > 0) {
    await sleep(10);
  }
});

test('a client has 15 minutes to read its answer', async () => {
  const id = randomUUID();
  await writeFile(join(folder.path, id), '');
  await truncate(join(folder.path, id), 50_000_000);
  mock.timers.enable({ apis: ['setTimeout'] });
  const socket = connect(port, '127.0.0.1').pause();
  socket.write(`GET /uploads/${id} HTTP/1.1\r\nHost: a\r\n\r\n`);
  const [request] = await once(server, 'request');
  mock.timers.tick(15 * 60_000 - 1);
  assert.equal(request.socket.destroyed, false);
  mock.timers.tick(1);
  assert.equal(request.socket.destroyed, true);
  mock.timers.reset();
  socket.destroy();
});

test('the page allows nobody to frame it', async () => {
  assert.match((await fetch(url)).headers.get('Content-Security-Policy') ?? '', /frame-ancestors 'none'/);
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

test('clients that vanish after a CONNECT end nothing, and nothing of them waits', async () => {
  const id = randomUUID();
  await writeFile(join(folder.path, id), 'x');
  const get = `GET /uploads/${id} HTTP/1.1\r\nHost: a\r\n\r\n`;
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
