import { readFileSync } from 'node:fs';

/** How users of a server that speaks polling hear each other. */
const WAYS = ['polling', 'long-polling', 'events'] as const;
export type Way = (typeof WAYS)[number];

/** A paced conversation. Times are in seconds. */
export interface Scenario {
  warm_up_s: number;
  ramp_up_s: number;
  hold_s: number;
  ramp_down_s: number;
  timeout_s: number;
  message_every_s: number;
  poll_every_s: number;
  transport: Way;
  users: Speaker[];
}

/** One user: the lengths of its messages in characters, sent in turn, and how far into its pauses it begins. */
export interface Speaker {
  lengths: number[];
  /** From 0 to 1: shares of `message_every_s` and `poll_every_s`. */
  message_phase: number;
  poll_phase: number;
}

/** When the users of a phase come and go, in milliseconds. They leave in the order in which they came. */
export class Plan {
  readonly rampUp: number;
  readonly hold: number;
  readonly rampDown: number;

  constructor(rampUp: number, hold: number, rampDown: number) {
    this.rampUp = rampUp;
    this.hold = hold;
    this.rampDown = rampDown;
  }

  arrival(user: number, users: number): number {
    return (this.rampUp * user) / users;
  }

  departure(user: number, users: number): number {
    return this.rampUp + this.hold + (this.rampDown * (user + 1)) / users;
  }
}

/** Reads a scenario; throws an Error that says what is wrong with it. */
export function readScenario(file: string): Scenario {
  const scenario: Scenario = JSON.parse(readFileSync(file, 'utf8'));
  for (const name of ['warm_up_s', 'ramp_up_s', 'ramp_down_s'] as const) {
    require(scenario[name] >= 0, `${name} must not be negative`);
  }
  for (const name of ['hold_s', 'timeout_s', 'message_every_s', 'poll_every_s'] as const) {
    require(scenario[name] > 0, `${name} must be positive`);
  }
  require(WAYS.includes(scenario.transport), `transport must be one of ${WAYS.join(', ')}`);
  require(scenario.users?.length > 0, 'users: at least one');
  for (const { lengths, message_phase, poll_phase } of scenario.users) {
    require(lengths?.length > 0 && lengths.every((length) => length >= 1 && length <= 500), 'lengths: 1 to 500 each');
    require(message_phase >= 0 && message_phase < 1 && poll_phase >= 0 && poll_phase < 1, 'phases: from 0 to below 1');
  }
  return scenario;
}

function require(holds: boolean, otherwise: string): void {
  if (!holds) {
    throw new Error(`scenario: ${otherwise}`);
  }
}
