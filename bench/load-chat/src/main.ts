import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { converse } from './conversation.ts';
import { readScenario, type Scenario } from './scenario.ts';

/** Longer than this and the users are not where they should be. */
const STILL_MS = 100;

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: node src/main.ts SCENARIO; then a line URL RESULT for every run');
  process.exit(2);
}
let scenario: Scenario;
try {
  scenario = readScenario(file);
} catch (error) {
  console.error(`${file}: ${(error as Error).message}`);
  process.exit(2);
}
const tell = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
const delay = monitorEventLoopDelay({ resolution: 10 });

tell({ stage: 'ready' });
for await (const line of createInterface({ input: process.stdin })) {
  const [url = '', result = ''] = line.split(/ (.*)/s);
  delay.reset();
  delay.enable();
  writeFileSync(result, JSON.stringify(await converse(new URL(url), scenario, tell)));
  delay.disable();
  const longest = delay.max / 1e6;
  if (longest > STILL_MS) {
    console.error(`WARN stood still for ${Math.round(longest)} ms`);
  }
  tell({ stage: 'done' });
}
