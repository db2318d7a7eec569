import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { after, test } from 'node:test';
import { PiscinaDrawer } from '../src/piscina-drawer.ts';
import { ThreadDrawer } from '../src/thread-drawer.ts';

const HEAVY = 20_000_000;
const { signal } = new AbortController();

for (const drawer of [new PiscinaDrawer(), new ThreadDrawer()]) {
  const { name } = drawer.constructor;
  after(() => drawer.close());

  test(`${name} begins in the order of arrival`, async () => {
    const done: number[] = [];
    const draw = async (number: number) => {
      await drawer.draw(HEAVY, 1, signal);
      done.push(number);
    };
    const threads = availableParallelism();
    await Promise.all(Array.from({ length: 4 * threads }, (_, number) => draw(number)));
    // As many are drawn at once as there are threads: they may overtake each other, and no others.
    done.forEach((number, place) => {
      assert.ok(Math.abs(number - place) < 2 * threads, `${number} was done at place ${place}`);
    });
  });

  test(`${name} refuses what would wait too long, and forgets who left`, async () => {
    const leaving = new AbortController();
    const waiting = Array.from({ length: 256 + availableParallelism() }, () => drawer.draw(HEAVY, 1, leaving.signal));
    await assert.rejects(drawer.draw(1, 1, signal), { status: 503 });
    leaving.abort();
    const drawn = (await Promise.all(waiting)).filter((counts) => counts);
    assert.ok(drawn.length <= availableParallelism(), `${drawn.length} were drawn`);
    assert.equal((await drawer.draw(1, 1, signal))?.[369], 1);
  });

  test(`${name} survives an error in a thread`, async () => {
    for (let error = 0; error < 2 * availableParallelism(); error += 1) {
      await assert.rejects(drawer.draw(1, 1n as unknown as number, signal), TypeError);
    }
    assert.equal((await drawer.draw(1, 1, signal))?.[369], 1);
  });
}
