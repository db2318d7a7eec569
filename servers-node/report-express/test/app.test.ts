import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, beforeEach, mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { createApp } from '../src/app.ts';
import { readTodos, summary } from '../src/report.ts';
import { createHttpServer } from '../src/server.ts';
import { Upstream } from '../src/upstream.ts';

const TIMEOUT = 300;
const todos = { items: [{ id: 1, title: '<b>milk</b>', completed: true }], next: null };

const goodTodos: RequestListener = (_request, response) => {
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(todos));
};
const goodPicture: RequestListener = (_request, response) => {
  response.setHeader('Content-Type', 'image/png').end('picture');
};
const hang: RequestListener = () => {};

// The upstreams answer as the test says.
let answerTodos = goodTodos;
let answerPicture = goodPicture;
beforeEach(() => {
  answerTodos = goodTodos;
  answerPicture = goodPicture;
});

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  after(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const upstream = await listen(
  createServer((request, response) => {
    (request.url === '/todos' ? answerTodos : answerPicture)(request, response);
  }),
);
const logger = pino({ enabled: false });
const sources = {
  todo: new Upstream(new URL('/todos', upstream), 'application/json', 1_000, logger),
  raytracer: new Upstream(new URL('/render', upstream), 'image/png', 1_000, logger),
  timeoutMs: TIMEOUT,
};
const server = createHttpServer(createApp(sources, logger), TIMEOUT);
const url = await listen(server);
const port = Number(new URL(url).port);

async function status(): Promise<number> {
  const response = await fetch(`${url}/report`);
  await response.text();
  return response.status;
}

/** What comes back on a connection until the server closes it. */
function sendBytes(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

test('the page has both, and titles are no markup', async () => {
  const response = await fetch(`${url}/report`);
  assert.equal(response.headers.get('Content-Type'), 'text/html; charset=utf-8');
  assert.match(response.headers.get('Content-Security-Policy') ?? '', /^default-src 'none';/);
  const page = await response.text();
  assert.match(page, /<td>1<\/td><td>&lt;b&gt;milk&lt;\/b&gt;<\/td><td>completed<\/td>/);
  assert.match(page, new RegExp(`base64,${btoa('picture')}"`));
});

test('the percentage is rounded half up', () => {
  const todo = { id: 1, title: 'a', completed: false };
  const items = [{ ...todo, completed: true }, ...Array(7).fill(todo)];
  assert.deepEqual(summary(items), { total: 8, completed: 1, percentage: 13 });
  assert.deepEqual(summary([]), { total: 0, completed: 0, percentage: 0 });
});

test('an answer that is bad is a 502, whichever it is', async () => {
  const bad: RequestListener[] = [
    (_request, response) => response.socket?.destroy(),
    (_request, response) => response.writeHead(404).end(),
    (request, response) => response.writeHead(302, { Location: `${request.url}?again` }).end(),
    (_request, response) => response.writeHead(200, { 'Content-Type': 'text/plain' }).end(JSON.stringify(todos)),
    (_request, response) => response.writeHead(200, { 'Content-Length': 9 }).end(),
  ];
  for (const answer of bad) {
    answerTodos = answer;
    assert.equal(await status(), 502);
    answerTodos = goodTodos;
    answerPicture = answer;
    assert.equal(await status(), 502);
    answerPicture = goodPicture;
  }
  assert.equal(await status(), 200);
});

test('a list that is none, or that is too large, is a 502', async () => {
  const item = { id: 1, title: 'a', completed: true };
  const items = [{ ...item, id: 1.5 }, { ...item, title: null }, { ...item, completed: 1 }, { id: 1 }, null];
  const lists = [{}, { items: {} }, ...items.map((one) => ({ items: [one] })), { items: [], more: 'x'.repeat(1_000) }];
  for (const text of ['', '{', '{"items":[{"id":9007199254740993}]}', ...lists.map((list) => JSON.stringify(list))]) {
    answerTodos = (_request, response) => response.setHeader('Content-Type', 'application/json').end(text);
    assert.equal(await status(), 502, text);
  }
});

test('an upstream that is late is a 504, and is cut', async () => {
  for (const picture of [goodPicture, hang]) {
    const cut = new Promise((resolve) => {
      answerTodos = (_request, response) => response.once('close', resolve);
    });
    answerPicture = picture;
    const start = performance.now();
    assert.equal(await status(), 504);
    assert.ok(performance.now() - start > TIMEOUT - 50);
    await cut;
  }
});

test('when one is bad, the other is cut, and nobody waits for it', async () => {
  const cut = new Promise((resolve) => {
    answerTodos = (_request, response) => response.once('close', resolve);
  });
  answerPicture = (_request, response) => response.writeHead(500).end();
  assert.equal(await status(), 502);
  await cut;
});

test('a connection that an upstream closes when it is used again fails no report', async () => {
  const sockets = new WeakSet();
  const onlyOnce: RequestListener = ({ socket, url }, response) => {
    if (sockets.has(socket)) {
      socket.destroy();
    } else {
      sockets.add(socket);
      (url === '/todos' ? goodTodos : goodPicture)(response.req, response);
    }
  };
  answerTodos = onlyOnce;
  answerPicture = onlyOnce;
  for (let report = 0; report < 5; report += 1) {
    assert.equal(await status(), 200);
  }
});

test('256 reports are under way at most, and clients that leave make room', { timeout: 60_000 }, async () => {
  answerTodos = hang;
  const patient = createHttpServer(createApp({ ...sources, timeoutMs: 60_000 }, logger), 60_000);
  const report = `${await listen(patient)}/report`;
  let requests = 0;
  patient.on('request', () => {
    requests += 1;
  });
  const leaving = new AbortController();
  const asked = Array.from({ length: 256 }, () => fetch(report, leaving).catch(() => {}));
  while (requests < 256) {
    await sleep(10);
  }
  assert.equal((await fetch(report)).status, 503);
  leaving.abort();
  await Promise.all(asked);
  answerTodos = goodTodos;
  await sleep(100);
  assert.equal((await fetch(report)).status, 200);
});

test('of pipelined reports one is under way', async () => {
  let underWay = 0;
  let most = 0;
  answerTodos = async (request, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    response.once('close', () => {
      underWay -= 1;
    });
    await sleep(5);
    goodTodos(request, response);
  };
  const reports = await sendBytes(`${'GET /report HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(50)}nonsense\r\n\r\n`);
  assert.equal(reports.match(/HTTP\/1.1 \d+/g)?.length, 50);
  assert.equal(most, 1);
});

test('a list that takes a parser as long as possible is a 502 at once', async () => {
  const large = new Upstream(new URL('/todos', upstream), 'application/json', 1_100_000, logger);
  const { signal } = new AbortController();
  for (const bytes of ['[', '{"a":', '"\\\\', '9', ' ', '\n0', '{"items":[', '"a" :']) {
    answerTodos = (_request, response) =>
      response.setHeader('Content-Type', 'application/json').end(bytes.repeat(1_000_000 / bytes.length));
    const start = performance.now();
    await assert.rejects(large.get(signal, readTodos), { status: 502 });
    assert.ok(performance.now() - start < 2_000, bytes);
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

test('clients that vanish after a CONNECT end nothing, and nothing of them waits', async () => {
  const get = 'GET /report HTTP/1.1\r\nHost: a\r\n\r\n';
  answerTodos = (request, response) => sleep(50).then(() => goodTodos(request, response));
  const uncaught = mock.fn();
  process.on('uncaughtException', uncaught);
  for (let client = 0; client < 12; client += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.write(`${get.repeat(100)}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`);
    await once(server, 'connect');
    socket.resetAndDestroy();
  }
  await sleep(100);
  answerTodos = goodTodos;
  const answers = await sendBytes(`${get.repeat(10)}nonsense\r\n\r\n`);
  assert.equal(answers.match(/HTTP\/1.1 200/g)?.length, 10);
  assert.equal(uncaught.mock.callCount(), 0);
});
