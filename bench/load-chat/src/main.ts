import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import { converse } from './conversation.ts';
import { readScenario, type Scenario } from './scenario.ts';

/** Longer than this and the users are not where they should be. */
const STILL_MS = 100;

/** URL, file of the result, number of the scenario: a path may have blanks. */
const LINE = /^(\S+) (.+?)(?: (\d+))?$/s;

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('usage: node src/main.ts SCENARIO…; then a line URL RESULT [N] for every run');
  process.exit(2);
}
const scenarios = files.map(readOrExit);
const tell = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
const delay = monitorEventLoopDelay({ resolution: 10 });

tell({ stage: 'ready' });
for await (const line of createInterface({ input: process.stdin })) {
  const [, url = '', result = '', number = '0'] = LINE.exec(line) ?? [];
  const scenario = scenarios[Number(number)];
  if (scenario === undefined) {
    console.error(`not URL RESULT [N], of ${scenarios.length} scenarios: ${line}`);
    process.exit(2);
  }
  delay.reset();
  delay.enable();
  const meter = await converse(new URL(url), scenario, tell);
  delay.disable();
  writeFileSync(result, JSON.stringify(meter));
  writeFileSync(`${result}.operations.csv.gz`, gzipSync(meter.operations));
  const longest = delay.max / 1e6;
  if (longest > STILL_MS) {
    console.error(`WARN stood still for ${Math.round(longest)} ms`);
  }
  tell({ stage: 'done' });
}

function readOrExit(file: string): Scenario {
  try {
    return readScenario(file);
  } catch (error) {
    console.error(`${file}: ${(error as Error).message}`);
    process.exit(2);
  }
}
