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
