import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { test } from 'node:test';

const good = { PORT: '8080', UPLOAD_DIR: tmpdir() };

for (const [name, values] of Object.entries({
  HOST: [''],
  PORT: ['65536', '8e3'],
  UPLOAD_DIR: ['src', '/nowhere', '/etc/passwd'],
  MAX_FILE_BYTES: ['0', '1 MB'],
  MAX_REQUEST_BYTES: [''],
})) {
  test(`an unusable ${name} ends the process`, () => {
    for (const value of values) {
      const { status, stderr } = spawnSync(process.execPath, ['src/main.ts'], { env: { ...good, [name]: value } });
      assert.equal(status, 1, value);
      assert.match(String(stderr), new RegExp(`at ${name}`));
    }
  });
}
