import { type Client, Failed } from './client.ts';
import { Http } from './http.ts';
import { EventsClient, LongPollingClient } from './listening.ts';
import { type Failure, Meter } from './meter.ts';
import { PollingClient } from './polling.ts';
import { Plan, type Scenario } from './scenario.ts';
import { SocketClient } from './sockets.ts';
import { Journeys, User, until } from './user.ts';
import { WebSocketClient } from './websocket.ts';
import { CountingAgent } from './wire.ts';

/** How often stages and seconds that are over are closed. */
const TICK_MS = 20;

/** The users converse for the warm-up and then for the measured time. Returns the result of the latter. */
export async function converse(url: URL, scenario: Scenario, progress: (line: object) => void): Promise<Meter> {
  const { warm_up_s, ramp_up_s, hold_s, ramp_down_s, timeout_s } = scenario;
  const plan = new Plan(ramp_up_s * 1000, hold_s * 1000, ramp_down_s * 1000);
  let page: string;
  try {
    page = await pageOf(url, timeout_s * 1000);
  } catch (error) {
    return everybodyLost((error as Failed).kind, scenario.users.length, plan, progress);
  }
  const transport = transportOf(page, url);
  const way = transport === 'polling' ? scenario.transport : transport;
  if (warm_up_s > 0) {
    progress({ stage: 'warm_up' });
    // Names of its own: the server may not know yet that these users have left.
    await phase(url, way, scenario, new Plan(0, warm_up_s * 1000, 0), 'early', () => {});
  }
  return phase(url, way, scenario, plan, 'user', progress);
}

/** The chat's page. Rejects with Failed. */
async function pageOf(url: URL, timeout: number): Promise<string> {
  const signal = AbortSignal.timeout(timeout);
  try {
    return await (await fetch(url, { signal })).text();
  } catch (error) {
    throw new Failed(signal.aborted ? 'timeout' : 'connection', (error as Error).message);
  }
}

/** What it is when nobody can join: told as a result, for other servers may be better. */
function everybodyLost(because: Failure, users: number, plan: Plan, progress: (line: object) => void): Meter {
  const meter = new Meter(plan, performance.now(), () => 0, progress);
  meter.failed(because, users);
  meter.usersLost = users;
  meter.end(performance.now());
  return meter;
}

/** Which transport the server speaks, as its page says. */
function transportOf(page: string, url: URL): string {
  const transport = /data-transport="([^"]*)"/.exec(page)?.[1];
  if (transport === undefined) {
    throw new Error(`${url}: its page does not say which transport it speaks`);
  }
  return transport;
}

/** `way` is how users hear each other: the server's transport, or what was chosen where that is polling. */
async function phase(
  url: URL,
  way: string,
  scenario: Scenario,
  plan: Plan,
  name: string,
  progress: (line: object) => void,
): Promise<Meter> {
  const { users, timeout_s, message_every_s, poll_every_s } = scenario;
  const agents = users.map(() => new CountingAgent());
  const begin = performance.now();
  const meter = new Meter(plan, begin, () => agents.reduce((sum, agent) => sum + agent.bytes, 0), progress);
  const clock = setInterval(() => meter.advance(performance.now()), TICK_MS);
  const journeys = new Journeys(meter);

  await Promise.all(
    users.map(async (speaker, index) => {
      const user = new User(`${name}-${index + 1}`, speaker, message_every_s * 1000, meter, journeys);
      const agent = agents[index] as CountingAgent;
      const arrival = begin + plan.arrival(index, users.length);
      const firstPoll = arrival + speaker.poll_phase * poll_every_s * 1000;
      const polls = (poll: () => Promise<void>) => repeat(poll, firstPoll, poll_every_s * 1000);
      const timeout = timeout_s * 1000;
      const client = clientOf(way, url, agent, timeout, polls, user);
      await user.take(client, arrival, begin + plan.departure(index, users.length));
    }),
  );
  clearInterval(clock);
  meter.end(performance.now());
  return meter;
}

function clientOf(
  way: string,
  url: URL,
  agent: CountingAgent,
  timeout: number,
  polls: (poll: () => Promise<void>) => () => void,
  user: User,
): Client {
  const http = new Http(url, user.name, agent, timeout);
  switch (way) {
    case 'polling':
      return new PollingClient(http, polls, user);
    case 'long-polling':
      return new LongPollingClient(http, user);
    case 'events':
      return new EventsClient(http, timeout, user);
    case 'websocket':
      return new WebSocketClient(url, user.name, agent, timeout, user);
    default:
      return new SocketClient(url, user.name, agent, timeout, user);
  }
}

/** Calls `work` at its times, which do not move when one call is late, until what is returned is called. */
function repeat(work: () => Promise<void>, first: number, every: number): () => void {
  let stopped = false;
  async function run(): Promise<void> {
    for (let number = Math.max(0, Math.ceil((performance.now() - first) / every)); !stopped; number++) {
      await until(first + number * every);
      if (!stopped) {
        void work();
      }
    }
  }
  void run();
  return () => {
    stopped = true;
  };
}
