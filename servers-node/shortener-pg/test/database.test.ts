import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { mock, test } from 'node:test';
import pg from 'pg';
import { isAway, isBusy } from '../src/database.ts';
import { PipelinedClients } from '../src/pipelined-clients.ts';

function refusal(code: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('no', 2, 'error'), { code });
}

test('the database is away when its connection fails, or it refuses for now', async () => {
  const [refused] = await once(connect(1, '127.0.0.1'), 'error').catch((error) => [error]);
  const lost = ['Connection terminated unexpectedly', 'timeout expired', 'Query read timeout'];
  for (const error of [refused, ...lost.map((text) => new Error(text)), refusal('57P01'), refusal('53300')]) {
    assert.ok(isAway(error), String(error));
    assert.ok(!isBusy(error), String(error));
  }
});

test('the database is busy when a statement takes too long, or all connections are taken', async () => {
  const postgres = createServer((socket) => socket.resume()).listen(0, '127.0.0.1'); // never says that it is ready
  await once(postgres, 'listening');
  const { port } = postgres.address() as AddressInfo;
  const pool = new pg.Pool({ host: '127.0.0.1', port, user: 'a', database: 'a', max: 1, connectionTimeoutMillis: 50 });
  const [connecting, waiting] = await Promise.allSettled([pool.query('select 1'), pool.query('select 1')]);
  assert.ok(connecting.status === 'rejected' && !isBusy(connecting.reason));
  assert.ok(waiting.status === 'rejected' && isBusy(waiting.reason));
  assert.ok(isBusy(refusal('57014')));
  await pool.end();
  postgres.close();
});

test('an error of ours is no outage', () => {
  for (const error of [
    new TypeError('x is not a function'),
    new Error('Prepared statements must be unique'),
    refusal('42P01'),
  ]) {
    assert.ok(!isAway(error), String(error));
  }
});

test('pipelined clients connect again after each failure', async () => {
  const connected = mock.fn();
  const postgres = createServer((socket) => {
    connected();
    socket.once('data', () => socket.destroy()); // in the middle of the log-in
  });
  await once(postgres.listen(0, '127.0.0.1'), 'listening');
  const { port } = postgres.address() as AddressInfo;
  const clients = new PipelinedClients({ host: '127.0.0.1', port, user: 'a', database: 'a' });
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    await assert.rejects(clients.query({ text: 'select 1' }), isAway);
    assert.equal(connected.mock.callCount(), attempt);
  }
  await clients.end();
  postgres.close();
});
