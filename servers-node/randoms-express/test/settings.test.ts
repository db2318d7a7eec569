import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

for (const [name, values] of Object.entries({
  HOST: [''],
  PORT: ['65536', '8e3'],
  COMPRESSION: ['yes'],
  COMPRESSION_MIN_BYTES: ['-1'],
  LOG: ['yes'],
  POOL: ['threads', ''],
})) {
  test(`an unusable ${name} ends the process`, () => {
    for (const value of values) {
      const env = { PORT: '8080', [name]: value };
      const { status, stderr } = spawnSync(process.execPath, ['src/main.ts'], { env });
      assert.equal(status, 1, value);
      assert.match(String(stderr), new RegExp(`at ${name}`));
    }
  });
}
