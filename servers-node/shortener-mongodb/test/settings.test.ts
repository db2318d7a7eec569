import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const good = { PORT: '8080', MONGODB_URL: 'mongodb://user:secret@127.0.0.1:27017/links' };

for (const [name, values] of Object.entries({
  HOST: [''],
  PORT: ['65536', '8e3'],
  POOL_SIZE: ['0', '101', 'ten'],
  WORKERS: ['0', '65', 'two'],
  MONGODB_URL: [
    'secret',
    'http://user:secret@127.0.0.1/links',
    'mongodb://',
    'mongodb://user:secret@a:b/links',
    'mongodb://user:secret@a',
    'mongodb://user:secret@a/?tls=true',
  ],
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
