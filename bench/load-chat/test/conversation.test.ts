import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import { converse } from '../src/conversation.ts';
import type { Scenario, Way } from '../src/scenario.ts';
import { passTimeStepwise } from './clock.ts';
import { type Faults, Room } from './room.ts';

passTimeStepwise();

const USERS = 4;
/** Messages of each user: the load is of a second and they send every 100 ms. */
const EACH = 10;
const LENGTHS = [1, 100, 40];

const SCENARIO: Scenario = {
  warm_up_s: 0,
  ramp_up_s: 0.2,
  hold_s: 0.75,
  ramp_down_s: 0.2,
  timeout_s: 10,
  message_every_s: 0.1,
  poll_every_s: 0.05,
  transport: 'polling',
  users: Array.from({ length: USERS }, (_, index) => ({
    lengths: LENGTHS,
    message_phase: index / USERS,
    poll_phase: 0.5,
  })),
};

interface Stage {
  requests: number;
  sends: { count: number; bytes_mean: number; bytes_sd: number };
  receives: { count: number; bytes_mean: number };
  deliveries: number;
  errors: Record<string, number>;
  bytes: number;
  duration_s: number;
  hdr: string;
}

interface Result {
  stages: Record<'ramp_up' | 'hold' | 'ramp_down', Stage>;
  users_in_hold: number;
  users_lost: number;
  series: { requests: number; deliveries: number }[];
}

/** The ways to hear of messages from a server that speaks polling. */
const OVER_HTTP: Record<string, Way> = { polling: 'polling', 'long polling': 'long-polling', events: 'events' };

/** A load on a room with this transport, or in this way over HTTP. */
async function load(
  transport: string,
  { faults = {}, scenario = {} }: { faults?: Faults; scenario?: Partial<Scenario> } = {},
) {
  const way = OVER_HTTP[transport];
  const room = await Room.open(way ? 'polling' : transport, faults);
  const lines: object[] = [];
  const ours = { ...SCENARIO, ...(way && { transport: way }), ...scenario };
  const meter = await converse(room.url, ours, (line) => lines.push(line));
  const bytes = room.bytes;
  await room.close();
  const result: Result = JSON.parse(JSON.stringify(meter));
  const stages = Object.values(result.stages);
  const sum = (figure: (stage: Stage) => number) => stages.reduce((total, stage) => total + figure(stage), 0);
  const errors = Object.fromEntries(
    ['refused', 'connection', 'timeout', 'missed', 'repeated'].map((kind) => [
      kind,
      sum(({ errors }) => errors[kind] ?? 0),
    ]),
  );
  return { room, result, lines, bytes, sum, errors };
}

/** Whether messages come one by one, and one's own does not come back. */
const atOnce = (transport: string) => ['socket.io', 'websocket'].includes(transport);
/** Whether a message waits for the next poll or batch. */
const waits = (transport: string) => ['polling', 'socket.io-batched'].includes(transport);

const NO_ERRORS = { refused: 0, connection: 0, timeout: 0, missed: 0, repeated: 0 };

for (const transport of [...Object.keys(OVER_HTTP), 'socket.io', 'socket.io-batched', 'websocket']) {
  // Most of their time they wait.
  describe(transport, { concurrency: 8 }, () => {
    test('every user says its part, and everybody else hears it', async () => {
      const { room, result, lines, sum, errors } = await load(transport);
      assert.deepEqual(errors, NO_ERRORS);
      assert.equal(result.users_lost, 0);
      // A stay is 0.2 s × (1 − index / 4) + 0.75 s + 0.2 s × (index + 1) / 4 = 1 s.
      assert.equal(room.messages.length, USERS * EACH);
      assert.equal(
        sum(({ sends }) => sends.count),
        USERS * EACH,
      );
      for (let index = 1; index <= USERS; index++) {
        // Two that are on their way at once may overtake each other over HTTP.
        const said = room.messages.filter(({ user }) => user === `user-${index}`).map(({ text }) => text.length);
        const drawn = Array.from({ length: EACH }, (_, number) => LENGTHS[number % LENGTHS.length]);
        assert.deepEqual(said.sort(), drawn.sort());
      }
      // Not all of them are there all the time, but nearly.
      const deliveries = sum(({ deliveries }) => deliveries);
      assert.ok(deliveries > 0.5 * USERS * EACH * (USERS - 1) && deliveries <= USERS * EACH * (USERS - 1));
      assert.deepEqual(
        lines.flatMap((line) => ('stage' in line ? [line.stage] : [])),
        ['ramp_up', 'hold', 'ramp_down'],
      );
      assert.equal(lines.filter((line) => 't_s' in line).length, 1);
    });

    test('a delivery is timed from when its message was due', async () => {
      const { result } = await load(transport);
      const { hdr, deliveries } = result.stages.hold;
      const latency = decodeFromCompressedBase64(hdr);
      assert.ok(Math.abs(latency.totalCount - deliveries) <= USERS * USERS);
      // Where one waits for the next poll or batch, that is half a pause on average.
      assert.ok(!waits(transport) || latency.mean > 10e6, `${latency.mean} ns`);
    });

    test('all bytes are counted that the server sees', async () => {
      const { sum, bytes } = await load(transport);
      const page = 400;
      const counted = sum(({ bytes }) => bytes);
      assert.ok(counted <= bytes && counted > bytes - page, `${counted} of ${bytes}`);
      const operations = sum(
        ({ sends, receives }) => sends.count * (sends.bytes_mean ?? 0) + receives.count * (receives.bytes_mean ?? 0),
      );
      // What is left: joining, leaving, and, with Socket.IO, the handshake.
      assert.ok(operations < counted && operations > 0.5 * counted, `${operations} of ${counted}`);
    });

    test('a message that is refused is an error', async () => {
      const { errors, sum } = await load(transport, { faults: { refuses: true } });
      assert.deepEqual(errors, { ...NO_ERRORS, refused: USERS * EACH });
      assert.equal(
        sum(({ deliveries }) => deliveries),
        0,
      );
    });

    test('a message that is not answered is an error, once its time is over', async () => {
      const { errors, sum } = await load(transport, {
        faults: { hangs: true },
        scenario: { hold_s: 0.3, timeout_s: 0.5 },
      });
      assert.ok((errors.timeout ?? 0) > USERS);
      assert.deepEqual({ ...errors, timeout: 0 }, NO_ERRORS);
      assert.ok(sum(({ duration_s }) => duration_s) > 0.7);
    });

    test('who cannot join in time is lost, and counts as that', async () => {
      const { result, errors } = await load(transport, {
        faults: { answers: 'its page' },
        scenario: { timeout_s: 0.5 },
      });
      assert.equal(result.users_lost, USERS);
      assert.deepEqual(errors, { ...NO_ERRORS, timeout: USERS });
    });

    test('a message that somebody never gets is missed', async () => {
      const { errors } = await load(transport, { faults: { loses: 20 } });
      // Its sender knows it anyway.
      assert.deepEqual(errors, { ...NO_ERRORS, missed: USERS - 1 });
    });

    test('a message that comes twice is repeated', async () => {
      const { errors } = await load(transport, { faults: { repeats: 20 } });
      const told = atOnce(transport) ? USERS - 1 : USERS;
      assert.deepEqual(errors, { ...NO_ERRORS, repeated: told });
    });
  });
}

for (const transport of ['events', 'socket.io', 'websocket']) {
  test(`${transport}: a user whose connection is closed is lost`, async () => {
    const { result, errors } = await load(transport, { faults: { closesAfter: 20 } });
    assert.equal(result.users_lost, USERS);
    assert.deepEqual({ ...errors, connection: 0 }, NO_ERRORS);
    assert.ok((errors.connection ?? 0) >= USERS);
  });
}

for (const transport of ['socket.io', 'websocket']) {
  test(`${transport}: a user whose connection is closed before it could join is lost`, async () => {
    const { result, errors } = await load(transport, { faults: { turnsAway: true } });
    assert.equal(result.users_lost, USERS);
    assert.deepEqual(errors, { ...NO_ERRORS, connection: USERS });
  });
}

test('a long poll is not asked again before its answer is there', async () => {
  const { room, sum } = await load('long polling');
  const questions = room.asked.filter((path) => path.includes('wait=20'));
  const answered = sum(({ receives }) => receives.count);
  assert.ok(questions.length <= answered + USERS, `${questions.length} questions, ${answered} answers`);
  assert.ok(questions.length <= USERS * (room.messages.length + 1));
});

test('a server that is not there loses everybody', async () => {
  const room = await Room.open('polling');
  const { url } = room;
  await room.close();
  const lines: object[] = [];
  const result: Result = JSON.parse(JSON.stringify(await converse(url, SCENARIO, (line) => lines.push(line))));
  assert.deepEqual(Object.keys(result.stages), ['ramp_up']);
  assert.deepEqual(result.stages.ramp_up.errors, { ...NO_ERRORS, connection: USERS });
  assert.equal(result.users_lost, USERS);
  assert.deepEqual(lines, [{ stage: 'ramp_up' }]);
});

test('a server that does not answer in time loses everybody', async () => {
  const { result, errors } = await load('polling', { faults: { answers: 'nothing' }, scenario: { timeout_s: 0.5 } });
  assert.equal(result.users_lost, USERS);
  assert.deepEqual(errors, { ...NO_ERRORS, timeout: USERS });
});

test('a page that names no transport is said', async () => {
  const room = await Room.open('');
  await assert.rejects(
    converse(new URL('/messages?after=0', room.url), SCENARIO, () => {}),
    /does not say which transport/,
  );
  await room.close();
});

test('the warm-up has users of its own and is not counted', async () => {
  const { room, lines, sum } = await load('socket.io', { scenario: { warm_up_s: 0.3 } });
  assert.equal(new Set(room.asked.filter((name) => /^(early|user)-\d$/.test(name))).size, 2 * USERS);
  assert.equal(
    sum(({ sends }) => sends.count),
    USERS * EACH,
  );
  assert.equal(room.messages.length, USERS * (EACH + 3));
  assert.deepEqual(lines[0], { stage: 'warm_up' });
});
