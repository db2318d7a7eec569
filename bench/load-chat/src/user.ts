import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Failed, Message } from './client.ts';
import type { Failure, Meter } from './meter.ts';
import type { Speaker } from './scenario.ts';

/** As long as a message may be. */
const TEXT = 'It does not matter what is said. '.repeat(16);

/** When each message was to be sent, by its id. Others may have it before its sender knows the id. */
export class Journeys {
  readonly #meter: Meter;
  readonly #begun = new Map<number, number>();
  readonly #arrivals = new Map<number, number[]>();

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  sent(id: number, at: number): void {
    this.#begun.set(id, at);
    for (const arrival of this.#arrivals.get(id) ?? []) {
      this.#meter.took(arrival - at);
    }
    this.#arrivals.delete(id);
  }

  arrived(id: number, at: number): void {
    const begun = this.#begun.get(id);
    if (begun !== undefined) {
      this.#meter.took(at - begun);
    } else {
      const arrivals = this.#arrivals.get(id) ?? [];
      arrivals.push(at);
      this.#arrivals.set(id, arrivals);
    }
  }
}

/** Whether a user got every message once: ids are given without a gap, and come in order. */
export class Receipts {
  readonly #seen = new Set<number>();
  #newest = 0;
  #first = 0;
  repeated = 0;

  /** From here on every message is to come. */
  start(last: number): void {
    this.#first = last;
    this.#newest = Math.max(this.#newest, last);
  }

  /** One's own message, which not every server sends back. */
  own(id: number): void {
    this.#seen.add(id);
  }

  came(id: number): void {
    if (id <= this.#newest) {
      this.repeated++;
    }
    this.#seen.add(id);
    this.#newest = Math.max(this.#newest, id);
  }

  /** How many never came, of those before the newest that did. */
  get missed(): number {
    let missing = 0;
    for (let id = this.#first + 1; id <= this.#newest; id++) {
      missing += this.#seen.has(id) ? 0 : 1;
    }
    return missing;
  }
}

/** One of the users: arrives, sends at its own pace whatever the server does, and leaves. */
export class User {
  readonly name: string;
  readonly #speaker: Speaker;
  readonly #every: number;
  readonly #meter: Meter;
  readonly #journeys: Journeys;
  readonly #receipts = new Receipts();
  readonly #underWay = new Set<Promise<void>>();
  #present = true;

  /** A message every `every` milliseconds. */
  constructor(name: string, speaker: Speaker, every: number, meter: Meter, journeys: Journeys) {
    this.name = name;
    this.#speaker = speaker;
    this.#every = every;
    this.#meter = meter;
    this.#journeys = journeys;
  }

  received(messages: Message[], bytes: number): void {
    const now = performance.now();
    this.#meter.received(this.name, bytes, now);
    for (const { id, user } of messages) {
      const own = user === this.name;
      this.#receipts.came(id);
      if (!own) {
        this.#meter.delivered();
        this.#journeys.arrived(id, now);
      }
    }
  }

  failed(failure: Failed): void {
    this.#meter.failed(failure.kind);
  }

  lost(because: Failure = 'connection'): void {
    if (this.#present) {
      this.#present = false;
      this.#meter.failed(because);
      this.#meter.usersLost++;
    }
  }

  /** From arrival to departure, both on the clock of `performance.now()`. */
  async take(client: Client, arrival: number, departure: number): Promise<void> {
    await until(arrival);
    try {
      this.#receipts.start(await client.join());
    } catch (error) {
      this.lost((error as Failed).kind);
      await client.leave();
      return;
    }
    this.#meter.joined();
    const { lengths, message_phase } = this.#speaker;
    for (let number = 0; ; number++) {
      const due = arrival + (message_phase + number) * this.#every;
      await until(Math.min(due, departure));
      if (due >= departure || !this.#present) {
        break;
      }
      // An answer that is late does not hold up the next message.
      const sending = this.#send(client, TEXT.slice(0, lengths[number % lengths.length]), due);
      this.#underWay.add(sending);
      void sending.then(() => this.#underWay.delete(sending));
    }
    await Promise.all(this.#underWay);
    this.#present = false;
    await client.leave();
    this.#meter.left();
    for (const kind of ['missed', 'repeated'] as const) {
      if (this.#receipts[kind]) {
        this.#meter.failed(kind, this.#receipts[kind]);
      }
    }
  }

  async #send(client: Client, text: string, due: number): Promise<void> {
    // The library's clock has whole milliseconds and may wake us a little early.
    const begun = Math.min(due, performance.now());
    try {
      const { id, bytes } = await client.send(text);
      this.#meter.sent(this.name, bytes);
      this.#receipts.own(id);
      this.#journeys.sent(id, begun);
    } catch (error) {
      this.failed(error as Failed);
    }
  }
}

/** Waits until then, not at all if it is over. */
export async function until(time: number): Promise<void> {
  const left = time - performance.now();
  if (left > 0) {
    await sleep(Math.ceil(left));
  }
}
