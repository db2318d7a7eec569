import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Room } from '../src/room.ts';

test('ids are 1, 2, 3 …, and the newest thousand messages are kept', () => {
  const room = new Room();
  assert.deepEqual(room.after(0), []);
  for (let id = 1; id <= 1_001; id += 1) {
    assert.equal(room.post('ana', 'oi').id, id);
  }
  assert.equal(room.last, 1_001);
  assert.equal(room.after(0).length, 1_000);
  assert.deepEqual(
    room.after(999).map(({ id }) => id),
    [1_000, 1_001],
  );
  assert.deepEqual(room.after(1_001), []);
  assert.deepEqual(room.after(Number.MAX_SAFE_INTEGER), []);
});

test('a user is present for two seconds after the last poll', () => {
  let now = 0;
  mock.method(performance, 'now', () => now);
  const room = new Room();
  room.see('bia');
  room.see('ana');
  now = 1_500;
  room.see('bia');
  now = 2_000;
  assert.deepEqual(room.users(), ['ana', 'bia']);
  now = 3_000;
  assert.deepEqual(room.users(), ['bia']);
  now = 4_000;
  assert.deepEqual(room.users(), []);
  mock.restoreAll();
});

test('a user is present while a visit lasts, and for two seconds after that', () => {
  let now = 0;
  mock.method(performance, 'now', () => now);
  const room = new Room();
  const leave = room.enter('ana');
  const leaveToo = room.enter('ana');
  now = 10_000;
  leave();
  now = 20_000;
  assert.deepEqual(room.users(), ['ana']);
  leaveToo();
  now = 22_000;
  assert.deepEqual(room.users(), ['ana']);
  now = 23_000;
  assert.deepEqual(room.users(), []);
  mock.restoreAll();
});

test('who waits is told of a newer message, of the end of its time, and of the end of the room', async () => {
  const room = new Room();
  const { signal } = new AbortController();
  const first = room.newerThan(0, signal);
  const second = room.newerThan(1, signal);
  room.post('ana', 'oi');
  await first;
  assert.equal(room.listenerCount('news'), 1);
  await room.newerThan(1, AbortSignal.timeout(10));
  room.close();
  await second;
  await room.newerThan(1, signal);
  assert.equal(room.listenerCount('news'), 0);
});
