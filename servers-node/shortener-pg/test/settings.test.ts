import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const good = { PORT: '8080', POSTGRES_URL: 'postgres://user:secret@127.0.0.1:5432/links' };

for (const [name, values] of Object.entries({
  HOST: [''],
  PORT: ['65536', '8e3'],
  POOL_SIZE: ['0', '101', 'ten'],
  WORKERS: ['0', '65', 'two'],
  POSTGRES_URL: ['secret', 'http://user:secret@127.0.0.1/links', 'postgres://user:secret@127.0.0.1'],
  QUERIES: ['queued'],
})) {
  test(`an unusable ${name} ends the process`, () => {
    for (const value of values) {
      const { status, stderr } = spawnSync(process.execPath, ['src/main.ts'], { env: { ...good, [name]: value } });
      assert.equal(status, 1, value);
      assert.match(String(stderr), new RegExp(`at ${name}`));
      assert.doesNotMatch(String(stderr), /secret/);
    }
  });
}
