// A counter behind HTTP: POST /counter adds one, GET /counter tells it.
import { createServer } from 'node:http';
import { setImmediate as othersTurn } from 'node:timers/promises';

const rounds = Number(process.env.WORK ?? 0);
let value = 0;

/** The value that follows, after so many rounds of Marsaglia's xorshift: what an update computes. */
function next(seen: number): number {
  let x = seen | 1;
  for (let round = 0; round < rounds; round++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
  }
  // It never comes to 0. The compiler cannot know that, so it leaves no round out.
  return x === 0 ? seen : seen + 1;
}

// #region event-loop
async function add(): Promise<number> {
  await othersTurn(); // As for a database or a disk.
  // One thread: nothing else runs before the write.
  const seen = value;
  value = next(seen);
  return value;
}
// #endregion event-loop

// #region await-between
async function addWrongOnPurpose(): Promise<number> {
  const seen = value;
  await othersTurn(); // Others read the same value meanwhile.
  value = next(seen);
  return value;
}
// #endregion await-between

const adds = process.env.COUNTER === 'wrong-on-purpose' ? addWrongOnPurpose : add;

const server = createServer(async (request, response) => {
  const counts = request.url === '/counter';
  const told = counts ? String(request.method === 'POST' ? await adds() : value) : 'healthy';
  response.writeHead(counts || request.url === '/healthz' ? 200 : 404, { 'Content-Type': 'text/plain' }).end(told);
});
server.listen(Number(process.env.PORT), process.env.HOST);
process.once('SIGTERM', () => server.close(() => process.exit(0)).closeAllConnections());
