import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const ASSETS = new URL('../assets/', import.meta.url);
const PAGE = new URL('../../../../contract-tests/chat/golden/index.html', import.meta.url);

test('the Socket.IO client is the published one, unchanged', () => {
  const published = new URL('../node_modules/socket.io-client/dist/socket.io.esm.min.js', import.meta.url);
  assert.deepEqual(readFileSync(new URL('socket.io.js', ASSETS)), readFileSync(published));
});

test('the page and the files ask for nothing but these files', () => {
  const own = ['chat.js', 'lines.js', 'room.js', 'chat.css'].map((name) => readFileSync(new URL(name, ASSETS), 'utf8'));
  const text = [readFileSync(PAGE, 'utf8'), ...own].join('\n');
  const names = [...text.matchAll(/(?:\/assets\/|from '\.\/|url\(")([\w.-]+)/g)].map(([, name]) => String(name));
  assert.deepEqual([...new Set(names)].sort(), readdirSync(ASSETS).sort());
});

test('every element that the script looks for is in the page', () => {
  const script = readFileSync(new URL('chat.js', ASSETS), 'utf8');
  const page = readFileSync(PAGE, 'utf8');
  const wanted = [...script.matchAll(/getElementById\('([\w-]+)'\)/g)].map(([, id]) => id);
  assert.ok(wanted.length > 10);
  assert.deepEqual(
    wanted.filter((id) => !page.includes(` id="${id}"`)),
    [],
  );
});

test('nothing is ever set as markup', () => {
  const script = readFileSync(new URL('chat.js', ASSETS), 'utf8');
  assert.doesNotMatch(script, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|DOMParser|\beval\b/);
});
