import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { draw, next } from '../src/xorshift.ts';

// Computed in Python, the same in all languages.
const BEGINNINGS = [
  { seed: 1, states: [270369, 67634689, 2647435461, 307599695, 2398689233], numbers: [370, 690, 462, 696, 234] },
  {
    seed: 4294967295,
    states: [253983, 4228382207, 1958451267, 4056713434, 2049502865],
    numbers: [984, 208, 268, 435, 866],
  },
];

function sum(counts: Uint32Array): number {
  return counts.reduce((total, count) => total + count, 0);
}

for (const { seed, states, numbers } of BEGINNINGS) {
  test(`seed ${seed} begins as pinned`, () => {
    let state = seed;
    for (const expected of states) {
      state = next(state);
      assert.equal(state >>> 0, expected);
    }
    const counts = new Uint32Array(1000);
    numbers.forEach((number, index) => {
      counts[number - 1] = 1;
      assert.deepEqual(draw(index + 1, seed), counts);
    });
  });
}

test('nothing drawn, nothing counted', () => {
  assert.deepEqual(draw(0, 1), new Uint32Array(1000));
});

test('every draw is counted', () => {
  for (const count of [1, 2, 999, 12345]) {
    assert.equal(sum(draw(count, 7)), count);
  }
});

test('a million draws are pinned', () => {
  const counts = draw(1_000_000, 42);
  assert.deepEqual([counts[0], counts[1], counts[499], counts[999]], [994, 948, 989, 957]);
  assert.equal(
    createHash('sha256').update(counts.join(',')).digest('hex'),
    'c1fc7713f60e27eec4c9e54f5c6738bd0cfa1745567ff64c5256af515a894db6',
  );
});
