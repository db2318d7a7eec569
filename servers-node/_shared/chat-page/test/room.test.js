import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoff, byCodePoint, KEPT, length, Room, tidy } from '../assets/room.js';

const A = '6f1b0f0e-0000-4000-8000-00000000000a';
const B = '6f1b0f0e-0000-4000-8000-00000000000b';

const said = (/** @type {number[]} */ ...ids) => ids.map((id) => ({ id, user: 'ana', text: `message ${id}` }));
const range = (/** @type {number} */ from, /** @type {number} */ to) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
const idsOf = (/** @type {{ id: number }[]} */ messages) => messages.map(({ id }) => id);

function roomWith(/** @type {number[]} */ ...ids) {
  const room = new Room();
  room.fill(0, { room: A, messages: said(...ids), last: ids.at(-1) ?? 0 });
  return room;
}

test('messages are in order of id, each once, whichever way they come', () => {
  const room = roomWith(1, 2);
  assert.deepEqual(idsOf(room.add(said(5, 3, 5))), [5, 3]);
  assert.deepEqual(idsOf(room.add(said(3, 4, 1))), [4]);
  assert.deepEqual(idsOf(room.messages), [1, 2, 3, 4, 5]);
  assert.equal(room.cursor, 5);
});

test('a gap keeps the cursor before it, until what is missing has come', () => {
  const room = roomWith(1);
  room.add(said(3, 4));
  assert.deepEqual([room.gap, room.cursor], [true, 1]);
  const { added } = room.fill(1, { room: A, messages: said(2, 3, 4), last: 4 });
  assert.deepEqual([idsOf(added), room.gap, room.cursor], [[2], false, 4]);
});

test('nothing is missing up to the last id of an answer, even where ids are', () => {
  const room = roomWith(1);
  room.fill(1, { room: A, messages: said(7), last: 9 });
  assert.deepEqual([room.gap, room.cursor], [false, 9]);
});

test('an older answer that comes late takes nothing back', () => {
  const room = roomWith(1, 2, 3);
  const { added } = room.fill(1, { room: A, messages: said(2), last: 2 });
  assert.deepEqual([added, room.cursor, idsOf(room.messages)], [[], 3, [1, 2, 3]]);
});

test('another room starts again from 0', () => {
  const room = roomWith(1, 2, 3);
  const change = room.fill(3, { room: B, messages: [], last: 2 });
  assert.deepEqual(change, { added: [], restarted: true, again: true });
  assert.deepEqual([room.messages, room.cursor, room.id], [[], 0, B]);
  const { added, restarted, again } = room.fill(0, { room: B, messages: said(1, 2), last: 2 });
  assert.deepEqual([idsOf(added), restarted, again], [[1, 2], false, false]);
});

test('an answer to the question for what came after a message of another room is asked for again', () => {
  const room = roomWith(1, 2, 3);
  assert.equal(room.enter(B), true);
  room.add(said(4));
  // Asked before it was known that the room is another one.
  assert.equal(room.fill(3, { room: B, messages: said(4), last: 4 }).again, true);
  assert.equal(room.cursor, 0);
});

test('the first room is no restart', () => {
  assert.equal(new Room().enter(A), false);
});

test('the newest are kept, and what is older is not missed', () => {
  const room = roomWith(...range(1, KEPT));
  assert.deepEqual(idsOf(room.add(said(KEPT + 1))), [KEPT + 1]);
  assert.equal(room.messages.length, KEPT);
  assert.deepEqual(room.add(said(1)), []);
  assert.equal(room.messages[0]?.id, 2);

  const away = roomWith(1, 2);
  const { added } = away.fill(2, { room: A, messages: said(...range(2001, 3000)), last: 3000 });
  assert.deepEqual(idsOf(added), range(2001, 3000));
  assert.deepEqual([away.messages.length, away.cursor, away.gap], [KEPT, 3000, false]);
});

test('only what can be shown is said to be new', () => {
  const room = roomWith(1);
  const added = room.add(said(...range(2, KEPT + 50)));
  assert.deepEqual(idsOf(added), idsOf(room.messages));
  assert.equal(room.gap, false);
});

test('text becomes what the server takes', () => {
  assert.equal(tidy('  two\r\nlines\tand\u0085more\u0000 '), 'two lines and more');
  assert.equal(tidy('\ud800!'), '\ufffd!');
  assert.equal(tidy('\n \t'), '');
});

test('characters are code points', () => {
  assert.equal(length('a😀é'), 3);
});

test('names are sorted as the server sorts them', () => {
  // U+FF5E sorts after U+1F600 by UTF-16 units.
  const names = ['～', '😀', 'b', 'ab', 'a', 'é', 'B'];
  assert.deepEqual(names.sort(byCodePoint), ['B', 'a', 'ab', 'b', 'é', '～', '😀']);
  assert.equal(byCodePoint('a', 'a'), 0);
});

test('pauses grow, spread, and end growing', () => {
  const [shortest, longest] = [range(1, 9).map((n) => backoff(n, 0)), range(1, 9).map((n) => backoff(n, 1))];
  assert.deepEqual(shortest.slice(0, 5), [375, 750, 1500, 3000, 3000]);
  assert.deepEqual(longest.slice(0, 5), [625, 1250, 2500, 5000, 5000]);
  assert.equal(longest.at(-1), 5000);
});
