import { build, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js';

export type Stage = 'ramp_up' | 'hold' | 'ramp_down';
const STAGES: Stage[] = ['ramp_up', 'hold', 'ramp_down'];

/**
 * `refused`: another answer than the right one. `connection`: it broke. `timeout`: no answer in time.
 * `missed`, `repeated`: a message that a user who was there never got, or got again.
 */
export type Failure = 'refused' | 'connection' | 'timeout' | 'missed' | 'repeated';

const LONGEST_NS = 600e9;

function histogram(): Histogram {
  return build({ highestTrackableValue: LONGEST_NS, numberOfSignificantValueDigits: 3 });
}

/** Number, mean and standard deviation of sizes in bytes (Welford's algorithm: exact also where they hardly differ). */
class Sizes {
  count = 0;
  #mean = 0;
  #squares = 0;

  add(bytes: number): void {
    this.count++;
    const from = bytes - this.#mean;
    this.#mean += from / this.count;
    this.#squares += from * (bytes - this.#mean);
  }

  toJSON() {
    const known = this.count > 0;
    return {
      count: this.count,
      bytes_mean: known ? this.#mean : null,
      bytes_sd: known ? Math.sqrt(this.#squares / this.count) : null,
    };
  }
}

/** What happened in one stage. */
class Tally {
  readonly sends = new Sizes();
  readonly receives = new Sizes();
  readonly latency = histogram();
  readonly errors: Record<Failure, number> = { refused: 0, connection: 0, timeout: 0, missed: 0, repeated: 0 };
  deliveries = 0;
  readonly #begin: number;
  readonly #bytesBefore: number;
  readonly #cpuBefore = process.cpuUsage();
  #end: { seconds: number; bytes: number; cpu: NodeJS.CpuUsage } | undefined;

  constructor(begin: number, bytes: number) {
    this.#begin = begin;
    this.#bytesBefore = bytes;
  }

  end(now: number, bytes: number): void {
    this.#end = {
      seconds: (now - this.#begin) / 1000,
      bytes: bytes - this.#bytesBefore,
      cpu: process.cpuUsage(this.#cpuBefore),
    };
  }

  toJSON() {
    const { refused, connection, timeout } = this.errors;
    return {
      duration_s: this.#end?.seconds,
      requests: this.sends.count + this.receives.count + refused + connection + timeout,
      sends: this.sends,
      receives: this.receives,
      deliveries: this.deliveries,
      errors: this.errors,
      bytes: this.#end?.bytes,
      generator_cpu_s: this.#end && (this.#end.cpu.user + this.#end.cpu.system) / 1e6,
      hdr: encodeIntoCompressedBase64(this.latency),
    };
  }
}

/** A row of the series: one second, at whose end there were so many users. An operation is a send or a receive. */
interface Second {
  t_s: number;
  users: number;
  requests: number;
  sends: number;
  receives: number;
  errors: number;
  deliveries: number;
  mean_ms: number | null;
  p99_ms: number | null;
}

/** Counts and times what the users of one phase do, by stage and by second. Times are those of `performance.now()`. */
export class Meter {
  usersLost = 0;
  readonly #tallies = new Map<Stage, Tally>();
  readonly #series: Second[] = [];
  readonly #ends: number[];
  readonly #begin: number;
  readonly #bytes: () => number;
  readonly #progress: (line: object) => void;
  readonly #secondLatency = histogram();
  readonly #operations = ['time_s,user,operation,users,bytes'];
  #second = { requests: 0, sends: 0, receives: 0, errors: 0, deliveries: 0 };
  #stage = -1;
  #users = 0;
  #usersInHold = 0;

  /** `bytes` tells how many have crossed all connections of the users so far. */
  constructor(
    plan: { rampUp: number; hold: number },
    begin: number,
    bytes: () => number,
    progress: (line: object) => void,
  ) {
    this.#ends = [plan.rampUp, plan.rampUp + plan.hold, Number.POSITIVE_INFINITY];
    this.#begin = begin;
    this.#bytes = bytes;
    this.#progress = progress;
    this.#enter(begin);
    this.advance(begin);
  }

  joined(): void {
    this.#users++;
  }

  left(): void {
    this.#users--;
  }

  /** A message of a user was taken by the server; `bytes` both ways. */
  sent(user: string, bytes: number, now = performance.now()): void {
    this.#tally.sends.add(bytes);
    this.#second.requests++;
    this.#second.sends++;
    this.#log(user, 'SEND', bytes, now);
  }

  /** Something came to a user that may hold messages: an answer to a poll, or an event. */
  received(user: string, bytes: number, now = performance.now()): void {
    this.#tally.receives.add(bytes);
    this.#second.requests++;
    this.#second.receives++;
    this.#log(user, 'RECEIVE', bytes, now);
  }

  /** A message has reached another user. */
  delivered(): void {
    this.#tally.deliveries++;
    this.#second.deliveries++;
  }

  /** How long that took; told apart, as the message's id may be known later than its arrival. */
  took(milliseconds: number): void {
    const nanoseconds = Math.min(Math.round(milliseconds * 1e6), LONGEST_NS);
    this.#tally.latency.recordValue(nanoseconds);
    this.#secondLatency.recordValue(nanoseconds);
  }

  failed(failure: Failure, times = 1): void {
    this.#tally.errors[failure] += times;
    this.#second.errors += times;
    if (failure !== 'missed' && failure !== 'repeated') {
      this.#second.requests += times;
    }
  }

  /** Closes the stages and seconds that are over. */
  advance(now: number): void {
    while (now - this.#begin >= (this.#ends[this.#stage] ?? Number.POSITIVE_INFINITY)) {
      this.#tally.end(now, this.#bytes());
      this.#enter(now);
    }
    while (now - this.#begin >= (this.#series.length + 1) * 1000) {
      this.#closeSecond();
    }
  }

  /** Ends the last stage; a last second cut short is part of the totals but not of the series. */
  end(now: number): void {
    this.advance(now);
    this.#tally.end(now, this.#bytes());
  }

  /** Every operation as CSV: the second in which it ended, who, which, with how many users there, and its bytes. */
  get operations(): string {
    return `${this.#operations.join('\n')}\n`;
  }

  toJSON() {
    return {
      hdr_unit: 'ns',
      stages: Object.fromEntries(this.#tallies),
      users_in_hold: this.#usersInHold,
      users_lost: this.usersLost,
      series: this.#series,
    };
  }

  get #tally(): Tally {
    return this.#tallies.get(STAGES[this.#stage] as Stage) as Tally;
  }

  #log(user: string, operation: string, bytes: number, now: number): void {
    this.#operations.push(`${((now - this.#begin) / 1000).toFixed(3)},${user},${operation},${this.#users},${bytes}`);
  }

  #enter(now: number): void {
    const stage = STAGES[++this.#stage] as Stage;
    if (stage === 'hold') {
      this.#usersInHold = this.#users;
    }
    this.#tallies.set(stage, new Tally(now, this.#bytes()));
    this.#progress({ stage });
  }

  #closeSecond(): void {
    const known = this.#secondLatency.totalCount > 0;
    const row: Second = {
      t_s: this.#series.length + 1,
      users: this.#users,
      ...this.#second,
      mean_ms: known ? this.#secondLatency.mean / 1e6 : null,
      p99_ms: known ? this.#secondLatency.getValueAtPercentile(99) / 1e6 : null,
    };
    this.#series.push(row);
    this.#progress(row);
    this.#secondLatency.reset();
    this.#second = { requests: 0, sends: 0, receives: 0, errors: 0, deliveries: 0 };
  }
}
