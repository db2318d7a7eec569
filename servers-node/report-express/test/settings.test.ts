import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const good = { PORT: '8080', TODO_URL: 'http://127.0.0.1:1', RAYTRACER_URL: 'http://127.0.0.1:2/' };

for (const [name, values] of Object.entries({
  HOST: [''],
  PORT: ['65536', '8e3'],
  TODO_URL: ['', 'http://', 'ftp://127.0.0.1'],
  RAYTRACER_URL: ['http://127.0.0.1/a', 'http://127.0.0.1?a'],
  UPSTREAM_TIMEOUT_MS: ['0', '2147483647'],
})) {
  test(`an unusable ${name} ends the process`, () => {
    for (const value of values) {
      const { status, stderr } = spawnSync(process.execPath, ['src/main.ts'], { env: { ...good, [name]: value } });
      assert.equal(status, 1, value);
      assert.match(String(stderr), new RegExp(`at ${name}`));
    }
  });
}
