import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo, Socket as NetSocket } from 'node:net';
import { after, test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { type Socket as Client, io as open } from 'socket.io-client';
import { createChatServer } from '../src/server.ts';

/** What one client was told: names of events, and what came with them. */
type Told = [string, unknown][];

async function start(mode: 'each' | 'batched') {
  const { server, io, delivery } = createChatServer(mode, pino({ enabled: false }));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clients: Client[] = [];
  after(() => {
    for (const client of clients) {
      client.close();
    }
    io.close();
  });

  async function meet(): Promise<{ client: Client; told: Told }> {
    const client = open(url, { transports: ['websocket'], forceNew: true, reconnection: false });
    const told: Told = [];
    client.onAny((name, what) => told.push([name, what]));
    clients.push(client);
    await once(client as never, 'connect');
    return { client, told };
  }
  async function join(user: string) {
    const member = await meet();
    return { ...member, answer: await member.client.emitWithAck('join', user) };
  }
  return { url, io, delivery, meet, join };
}

const refused = (error: string) => ({ ok: false, error });

test('a message goes to all members but its author, who has the acknowledgement', async () => {
  const { join, meet } = await start('each');
  const ana = await join('ana');
  const { told: strangerTold } = await meet();
  const bia = await join('bia');
  assert.deepEqual(await bia.client.emitWithAck('message', 'oi'), { ok: true, id: 1 });
  bia.client.close();
  await sleep(100);
  const said = { id: 1, user: 'bia', text: 'oi' };
  assert.deepEqual(ana.told, [
    ['joined', { user: 'bia' }],
    ['message', said],
    ['left', { user: 'bia' }],
  ]);
  assert.deepEqual(bia.told, []);
  assert.deepEqual(strangerTold, []);
});

test('a batch has what is new to each member, its own messages too', async () => {
  const { join, url, delivery } = await start('batched');
  const ana = await join('ana');
  await ana.client.emitWithAck('message', 'one');
  const bia = await join('bia');
  assert.equal(bia.answer.last, 1);
  const headers = { 'Content-Type': 'application/json' };
  await fetch(`${url}/messages`, { method: 'POST', headers, body: '{"user":"rui","text":"two"}' });
  delivery.flush();
  await sleep(100);
  const one = { id: 1, user: 'ana', text: 'one' };
  const two = { id: 2, user: 'rui', text: 'two' };
  const heard = ({ told }: { told: Told }) => told.flatMap(([name, what]) => (name === 'messages' ? what : []));
  assert.deepEqual(heard(ana), [one, two]);
  assert.deepEqual(heard(bia), [two]);
});

test('what breaks a rule is refused', async () => {
  const { join, meet } = await start('each');
  const { client } = await meet();
  assert.deepEqual(await client.emitWithAck('message', 'oi'), refused('Join first.'));
  for (const user of ['', 5, null, { user: 'ana' }, 'a\n', 'a'.repeat(33)]) {
    const rule = 'user must be a string of 1 to 32 characters.';
    assert.deepEqual(await client.emitWithAck('join', user), refused(rule));
  }
  await join('ana');
  assert.deepEqual(await client.emitWithAck('join', 'ana'), refused('Name already taken.'));
  assert.equal((await client.emitWithAck('join', 'bia', 'more', 7)).ok, true);
  assert.deepEqual(await client.emitWithAck('join', 'rui'), refused('Already joined.'));
  assert.deepEqual(await client.emitWithAck('message'), refused('text must be a string of 1 to 500 characters.'));
});

test('events without an acknowledgement do their work', async () => {
  const { meet, join } = await start('each');
  const ana = await join('ana');
  const { client } = await meet();
  client.emit('join', 'bia');
  client.emit('message', 'oi');
  client.emit('message');
  client.emit('unknown', () => {});
  await once(ana.client as never, 'message');
  assert.equal(client.connected, true);
});

test('the 51st event of a second is not taken, and ends the connection', async () => {
  const { join } = await start('each');
  const ana = await join('ana');
  const bia = await join('bia');
  for (let sent = 0; sent < 60; sent += 1) {
    bia.client.emit('message', 'oi');
  }
  await once(bia.client as never, 'disconnect');
  await sleep(100);
  // To join was the first.
  assert.equal(ana.told.filter(([name]) => name === 'message').length, 49);
});

test('a payload full of CONNECT packets makes no sockets', async () => {
  const { url, io } = await start('each');
  let sockets = 0;
  io.on('connection', () => {
    sockets += 1;
  });
  const session = `${url}/socket.io/?EIO=4&transport=polling`;
  const { sid } = JSON.parse((await (await fetch(session)).text()).slice(1));
  await fetch(`${session}&sid=${sid}`, { method: 'POST', body: Array(1_000).fill('40').join('\x1e') }).catch(() => {});
  assert.equal(io.engine.clientsCount, 0);
  assert.equal(sockets, 0);
});

test('a client that does not read is dropped', async () => {
  const { io, join } = await start('each');
  const { client } = await join('ana');
  (client.io.engine.transport as unknown as { ws: { _socket: NetSocket } }).ws._socket.pause();
  const text = 'a'.repeat(60_000);
  for (let sent = 0; sent < 400 && io.engine.clientsCount > 0; sent += 1) {
    io.emit('message', { id: 1, user: 'bia', text });
    await setImmediate();
  }
  assert.equal(io.engine.clientsCount, 0);
});
