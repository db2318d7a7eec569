import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { render, renderRow } from '../src/raytracer.ts';

const PINNED = new URL('../../../../contract-tests/raytracer/golden/pictures.csv', import.meta.url);

test('pixels are pinned', () => {
  const [, ...rows] = readFileSync(PINNED, 'utf8').trimEnd().split('\n');
  assert.ok(rows.length >= 10);
  for (const row of rows) {
    const [width, height, depth, sha256] = row.split(',');
    const pixels = render(Number(width), Number(height), Number(depth));
    assert.equal(createHash('sha256').update(pixels).digest('hex'), sha256, row);
  }
});

test('a row is put where it is asked for, and nowhere else', () => {
  const row = new Uint8Array(3 * 64 + 2).fill(0x55);
  renderRow(64, 48, 5, 47, row, 1);
  assert.deepEqual([row.at(0), row.at(-1)], [0x55, 0x55]);
  assert.deepEqual(row.subarray(1, -1), render(64, 48, 5).subarray(-3 * 64));
});
