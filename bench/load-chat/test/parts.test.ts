import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import { Meter } from '../src/meter.ts';
import { Plan, readScenario } from '../src/scenario.ts';
import { Journeys, Receipts } from '../src/user.ts';
import { frameBytes } from '../src/wire.ts';

const GOOD = {
  warm_up_s: 0,
  ramp_up_s: 1,
  hold_s: 1,
  ramp_down_s: 1,
  timeout_s: 1,
  message_every_s: 1,
  poll_every_s: 0.5,
  transport: 'polling',
  users: [{ lengths: [1], message_phase: 0, poll_phase: 0.5 }],
};

function read(content: object) {
  const folder = mkdtempSync(join(tmpdir(), 'load-chat-'));
  try {
    const file = join(folder, 'scenario.json');
    writeFileSync(file, JSON.stringify(content));
    return readScenario(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a good scenario is read', () => {
  assert.deepEqual(read(GOOD), GOOD);
});

for (const [wrong, complaint] of [
  [{ ramp_up_s: -1 }, 'ramp_up_s must not be negative'],
  [{ hold_s: 0 }, 'hold_s must be positive'],
  [{ poll_every_s: undefined }, 'poll_every_s must be positive'],
  [{ transport: 'socket.io' }, 'transport must be one of polling, long-polling, events'],
  [{ transport: undefined }, 'transport must be one of polling, long-polling, events'],
  [{ users: [] }, 'users: at least one'],
  [{ users: undefined }, 'users: at least one'],
  [{ users: [{ lengths: [501], message_phase: 0, poll_phase: 0 }] }, 'lengths: 1 to 500 each'],
  [{ users: [{ lengths: [1], message_phase: 1, poll_phase: 0 }] }, 'phases: from 0 to below 1'],
] as const) {
  test(`a scenario is refused: ${complaint}`, () => {
    assert.throws(() => read({ ...GOOD, ...wrong }), { message: `scenario: ${complaint}` });
  });
}

test('users come and leave one after the other and stay equally long', () => {
  const plan = new Plan(40_000, 159_000, 40_000);
  const stays = Array.from({ length: 40 }, (_, user) => plan.departure(user, 40) - plan.arrival(user, 40));
  assert.equal(plan.arrival(0, 40), 0);
  assert.equal(plan.arrival(1, 40), 1000);
  assert.deepEqual(new Set(stays), new Set([200_000]));
});

test('stages and seconds have what happened in them', () => {
  let bytes = 1000;
  const lines: object[] = [];
  const meter = new Meter(
    { rampUp: 500, hold: 1000 },
    0,
    () => bytes,
    (line) => lines.push(line),
  );
  meter.joined();
  meter.sent('user-1', 90, 250);
  bytes += 90;
  meter.advance(499);
  meter.advance(500);
  for (const size of [100, 110, 120]) {
    meter.received('user-1', size, 1000);
    meter.delivered();
    meter.took(2);
  }
  bytes += 330;
  meter.failed('refused');
  meter.failed('missed', 2);
  meter.advance(1500);
  meter.left();
  meter.end(1700);
  const { stages, series, users_in_hold } = JSON.parse(JSON.stringify(meter));
  assert.deepEqual(Object.keys(stages), ['ramp_up', 'hold', 'ramp_down']);
  assert.equal(stages.ramp_up.bytes, 90);
  assert.deepEqual(stages.ramp_up.sends, { count: 1, bytes_mean: 90, bytes_sd: 0 });
  assert.deepEqual(stages.ramp_up.receives, { count: 0, bytes_mean: null, bytes_sd: null });
  const { hold } = stages;
  assert.equal(hold.duration_s, 1);
  assert.equal(hold.bytes, 330);
  assert.equal(hold.requests, 4);
  assert.equal(hold.deliveries, 3);
  assert.equal(hold.receives.bytes_mean, 110);
  assert.equal(hold.receives.bytes_sd, Math.sqrt(200 / 3));
  assert.deepEqual(hold.errors, { refused: 1, connection: 0, timeout: 0, missed: 2, repeated: 0 });
  const latency = decodeFromCompressedBase64(hold.hdr);
  assert.equal(latency.totalCount, 3);
  assert.ok(Math.abs(latency.mean - 2e6) < 2e3);
  assert.equal(users_in_hold, 1);
  assert.equal(series.length, 1);
  assert.deepEqual(
    { ...series[0], mean_ms: 2, p99_ms: 2 },
    {
      t_s: 1,
      users: 1,
      requests: 5,
      sends: 1,
      receives: 3,
      errors: 3,
      deliveries: 3,
      mean_ms: 2,
      p99_ms: 2,
    },
  );
  assert.deepEqual(meter.operations.split('\n'), [
    'time_s,user,operation,users,bytes',
    '0.250,user-1,SEND,1,90',
    '1.000,user-1,RECEIVE,1,100',
    '1.000,user-1,RECEIVE,1,110',
    '1.000,user-1,RECEIVE,1,120',
    '',
  ]);
  assert.deepEqual(
    lines.filter((line) => 'stage' in line),
    [{ stage: 'ramp_up' }, { stage: 'hold' }, { stage: 'ramp_down' }],
  );
});

test('a journey is timed in whichever order its ends are known', () => {
  const took: number[] = [];
  const journeys = new Journeys({ took: (milliseconds: number) => took.push(milliseconds) } as unknown as Meter);
  journeys.arrived(7, 130);
  journeys.arrived(7, 150);
  assert.deepEqual(took, []);
  journeys.sent(7, 100);
  journeys.arrived(7, 200);
  assert.deepEqual(took, [30, 50, 100]);
});

test('receipts tell what never came and what came again', () => {
  const receipts = new Receipts();
  receipts.start(10);
  for (const id of [11, 13, 13, 15]) {
    receipts.came(id);
  }
  receipts.own(12);
  receipts.own(20);
  assert.equal(receipts.missed, 1);
  assert.equal(receipts.repeated, 1);
  receipts.came(9);
  assert.equal(receipts.repeated, 2);
});

test('frames are as long as RFC 6455 says', () => {
  assert.equal(frameBytes(125, 'server'), 127);
  assert.equal(frameBytes(126, 'server'), 130);
  assert.equal(frameBytes(65_535, 'server'), 65_539);
  assert.equal(frameBytes(65_536, 'server'), 65_546);
  assert.equal(frameBytes(10, 'client'), 16);
});
