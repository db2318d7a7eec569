import { readFileSync } from 'node:fs';
import pg from 'pg';

const LOOKUPS: Record<string, string> = {
  shortener: 'select url from links where hash = $1',
  todo: 'select id, title, completed from todos where id = $1',
};

const text = LOOKUPS[process.env.SERVICE ?? ''];
const keys = readFileSync(process.env.KEYS ?? '', 'utf8').trimEnd().split('\n');
const pool = new pg.Pool({
  connectionString: process.env.POSTGRES_URL,
  max: 10,
  idleTimeoutMillis: 0,
  keepAlive: true,
  connectionTimeoutMillis: 5_000,
  statement_timeout: 5_000,
  query_timeout: 6_000,
});

let queries = 0;
let running = true;

async function walk(first: number): Promise<void> {
  for (let next = first; running; next += 1) {
    const { rows } = await pool.query({ name: 'find', text, values: [keys[next % keys.length]] });
    if (rows.length !== 1) throw new Error(`no row for ${keys[next % keys.length]}`);
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
await pool.end();
