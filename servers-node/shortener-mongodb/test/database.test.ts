import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { isHttpError } from 'http-errors';
import { MongoInvalidArgumentError, MongoNetworkError, MongoServerError } from 'mongodb';
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
