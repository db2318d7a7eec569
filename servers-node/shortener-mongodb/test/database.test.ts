import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { isHttpError } from 'http-errors';
import { BSON, MongoInvalidArgumentError, MongoNetworkError, MongoServerError } from 'mongodb';
import pino from 'pino';
import { Database, isAway, isBusy } from '../src/database.ts';

test('the database is away when its connection fails, or it refuses for now', () => {
  assert.ok(isAway(new MongoNetworkError('connection closed')));
  assert.ok(isAway(Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' })));
  for (const code of [6, 18, 91, 11_600, 11_602]) {
    assert.ok(isAway(new MongoServerError({ message: 'not now', code })), String(code));
  }
});

test('the database is busy when an operation takes too long', () => {
  assert.ok(isBusy(new MongoServerError({ message: 'operation exceeded time limit', code: 50 })));
  assert.ok(!isBusy(new MongoNetworkError('connection closed')));
});

test('an error of ours is no outage', () => {
  for (const error of [
    new TypeError('x is not a function'),
    new MongoInvalidArgumentError('no such option'),
    new MongoServerError({ message: 'no such command', code: 59 }),
  ]) {
    assert.ok(!isAway(error), String(error));
  }
});

test('each operation connects, if none has connected before', async () => {
  let connections = 0;
  const mongodb = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await once(mongodb.listen(0, '127.0.0.1'), 'listening');
  const { port } = mongodb.address() as AddressInfo;
  const database = new Database(`mongodb://127.0.0.1:${port}/links`, 10, pino({ enabled: false }));
  for (const _attempt of [1, 2]) {
    const before = connections;
    await assert.rejects(
      database.run(() => database.db.command({ ping: 1 })),
      (error) => isHttpError(error) && error.status === 503,
    );
    assert.ok(connections > before);
  }
  await database.close();
  mongodb.close();
});

/** What MongoDB answers to a message, or null. Drivers shake hands with OP_QUERY and OP_REPLY; all else is OP_MSG. */
function reply(message: Buffer, answer: (command: string) => object | null): Buffer | null {
  const shakesHands = message.readInt32LE(12) === 2004;
  const document = message.subarray(shakesHands ? message.indexOf(0, 20) + 9 : 21);
  const [command = ''] = Object.keys(BSON.deserialize(document.subarray(0, document.readInt32LE(0))));
  const answered = answer(command);
  if (!answered) {
    return null;
  }
  const head = Buffer.alloc(shakesHands ? 36 : 21);
  const body = BSON.serialize(answered);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(message.readInt32LE(4), 8);
  head.writeInt32LE(shakesHands ? 1 : 2013, 12);
  head.writeInt32LE(shakesHands ? 1 : 0, shakesHands ? 32 : 16);
  return Buffer.concat([head, body]);
}

test('MongoDB is found again after a heartbeat that began while its connection was closing', async (context) => {
  const hello = { ok: 1, isWritablePrimary: true, helloOk: true, minWireVersion: 0, maxWireVersion: 21 };
  const connections: Socket[] = [];
  let isWell = true;
  const mongodb = createServer((socket) => {
    connections.push(socket);
    socket.on('data', (message) => {
      const answer = reply(message, (command) => (command !== 'ping' ? hello : isWell ? { ok: 1 } : null));
      if (answer) {
        socket.write(answer);
        return;
      }
      // The first is that of the heartbeats. libuv reports the end of the second one first, and the driver begins a
      // heartbeat on the first.
      for (const one of connections.slice(0, 2)) {
        one.destroy();
      }
      isWell = true;
    });
  });
  await once(mongodb.listen(0, '127.0.0.1'), 'listening');
  const { port } = mongodb.address() as AddressInfo;
  const database = new Database(`mongodb://127.0.0.1:${port}/links`, 10, pino({ enabled: false }));
  context.after(async () => {
    await database.close();
    mongodb.close();
  });
  const ping = () => database.run(() => database.db.command({ ping: 1 }));
  await ping();
  await setTimeout(750); // more than the 500 ms between two heartbeats, less than the 1,000 ms until the next is due
  isWell = false;
  await assert.rejects(ping());

  const deadline = Date.now() + 10_000;
  const isAnswered = () =>
    ping().then(
      () => true,
      () => false,
    );
  while (!(await isAnswered())) {
    assert.ok(Date.now() < deadline, 'it is not found');
  }
});
