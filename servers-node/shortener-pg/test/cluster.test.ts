import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

interface Line {
  worker?: number;
  pid: number;
  msg: string;
}

/** Starts two workers. Most tests ask nothing of the database. */
async function start(port: number, postgres = 1, poolSize = 10) {
  const url = `postgres://nobody@127.0.0.1:${postgres}/links`;
  const env = { PORT: String(port), POSTGRES_URL: url, POOL_SIZE: String(poolSize), WORKERS: '2' };
  const primary = spawn(process.execPath, ['src/main.ts'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 20_000, // for a test that fails
    killSignal: 'SIGKILL', // workers end with their primary
  });
  const lines = createInterface(primary.stderr)[Symbol.asyncIterator]();
  const ended = once(primary, 'exit').then(([status]) => status);

  /** The next line that begins with this. */
  async function logged(beginning: string): Promise<Line> {
    for (;;) {
      const { value, done } = await lines.next();
      assert.ok(!done, `ended without the line ${beginning}`);
      const line = JSON.parse(value);
      if (line.msg.startsWith(beginning)) {
        return line;
      }
    }
  }
  return { primary, ended, logged, url: `http://127.0.0.1:${port}` };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

test('a worker that dies is replaced', async () => {
  const { primary, ended, logged, url } = await start(await freePort());
  const [one, other] = [await logged('listening'), await logged('listening')];
  assert.deepEqual([one.worker, other.worker], [1, 2]);
  process.kill(one.pid, 'SIGKILL');
  assert.match((await logged('worker 1 ended')).msg, /SIGKILL/);
  assert.equal((await logged('listening')).worker, 3);
  for (let request = 0; request < 4; request += 1) {
    const { status } = await fetch(`${url}/nothing/here`, { headers: { Connection: 'close' } });
    assert.equal(status, 404);
  }
  primary.kill('SIGTERM');
  assert.equal(await ended, 0);
});

test('SIGTERM to the primary stops all workers, once their requests are answered', async () => {
  const port = await freePort();
  const { primary, ended, logged } = await start(port);
  const workers = [await logged('listening'), await logged('listening')];
  const sockets = workers.flatMap(() => [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]);
  for (const socket of sockets) {
    socket.write('POST /links HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n');
    socket.write('Content-Length: 2\r\nExpect: 100-continue\r\n\r\n');
    const [answer] = await once(socket, 'data'); // a worker has read the head
    assert.match(String(answer), /^HTTP\/1.1 100 /);
  }
  primary.kill('SIGTERM');
  const stopping = [await logged('stopping on'), await logged('stopping on')];
  assert.deepEqual(stopping.map(({ worker }) => worker).sort(), [1, 2]);
  for (const socket of sockets) {
    socket.write('{}');
    assert.match(await text(socket), /^HTTP\/1.1 400 /);
  }
  await assert.rejects(logged('9'), /ended without/); // no time was over, nothing was cut
  assert.equal(await ended, 0);
  for (const { pid } of workers) {
    assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  }
});

test('workers that die again and again end the server', async () => {
  const { ended, logged } = await start(await freePort());
  await logged('listening'); // this one lives on, until the primary gives up
  for (let death = 0; death < 6; death += 1) {
    const { pid } = await logged('listening');
    process.kill(pid, 'SIGKILL');
  }
  assert.equal(await ended, 1);
});

test('an address that is taken ends the server, and is told once', async () => {
  const taken = createServer().listen(0, '127.0.0.1').unref();
  await once(taken, 'listening');
  const { ended, logged } = await start((taken.address() as AddressInfo).port);
  assert.equal((await logged('cannot listen')).worker, 1);
  await assert.rejects(logged('cannot listen'), /ended without/);
  assert.equal(await ended, 1);
});

test('workers share the connections of the pool', async () => {
  let connections = 0;
  const postgres = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {}).resume(); // never says that it is ready
  });
  await once(postgres.listen(0, '127.0.0.1').unref(), 'listening');
  const { primary, ended, logged, url } = await start(await freePort(), (postgres.address() as AddressInfo).port, 4);
  await logged('listening');
  await logged('listening');
  const asked = Array.from({ length: 16 }, () => fetch(`${url}/healthz`).catch(() => undefined));
  for (let tries = 0; connections < 4 && tries < 500; tries += 1) {
    await sleep(10);
  }
  await sleep(200);
  assert.equal(connections, 4);
  primary.kill('SIGKILL');
  await Promise.all([ended, ...asked]);
});
