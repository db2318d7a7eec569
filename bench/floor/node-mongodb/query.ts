import { readFileSync } from 'node:fs';
import { MongoClient } from 'mongodb';

const keys = readFileSync(process.env.KEYS ?? '', 'utf8').trimEnd().split('\n');
const client = new MongoClient(process.env.MONGODB_URL ?? '', {
  maxPoolSize: 10,
  serverSelectionTimeoutMS: 800,
  connectTimeoutMS: 5_000,
  waitQueueTimeoutMS: 5_000,
  socketTimeoutMS: 6_000,
  heartbeatFrequencyMS: 1_000,
});
const links = client.db().collection<{ _id: string; url: string }>('links');

let queries = 0;
let running = true;

async function walk(first: number): Promise<void> {
  for (let next = first; running; next += 1) {
    const link = await links.findOne({ _id: keys[next % keys.length] }, { maxTimeMS: 5_000 });
    if (link === null) throw new Error(`no document ${keys[next % keys.length]}`);
    queries += 1;
  }
}

const inFlight = Number(process.env.IN_FLIGHT);
const seconds = (name: string) => new Promise((done) => setTimeout(done, Number(process.env[name]) * 1000));
const walks = Array.from({ length: inFlight }, (_, number) => walk(Math.floor((number * keys.length) / inFlight)));

await seconds('WARM_UP_S');
const [before, from] = [process.cpuUsage(), queries];
await seconds('MEASURE_S');
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ queries: queries - from, cpu_s: (user + system) / 1e6 }));
running = false;
await Promise.all(walks);
await client.close();
