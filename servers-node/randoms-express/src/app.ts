import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import compression from 'compression';
import express, { type Express } from 'express';
import createError from 'http-errors';
import type { Logger } from 'pino';
import { z } from 'zod';
import { draw } from '../../_shared/xorshift/src/xorshift.ts';
import type { Drawer } from './drawer.ts';
import { refuseUnsoundFraming } from './framing.ts';
import type { Log } from './log.ts';
import { problemHandler } from './problem.ts';

const MOST = 100_000_000;
const SEEDS = 2 ** 32;

const Digits = z.string().regex(/^\d+$/, 'must be digits').transform(Number);
const Draws = z.object({
  count: Digits.pipe(z.int().max(MOST)).default(MOST),
  seed: Digits.pipe(
    z
      .int()
      .min(1)
      .max(SEEDS - 1),
  ).default(() => randomInt(1, SEEDS)),
});

/** The application with all its routes. Bodies of at least `minBytes` are compressed, if it is given. */
export function createApp(drawer: Drawer, log: Log, minBytes: number | undefined, logger: Logger): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(refuseUnsoundFraming);
  // #region randoms.compress
  if (minBytes !== undefined) {
    app.use(compression({ threshold: minBytes }));
  }
  // #endregion randoms.compress

  app.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });

  app.get('/info', (_request, response) => {
    response.json({
      arguments: process.argv.slice(2),
      platform: process.platform,
      runtime: `Node.js ${process.versions.node}`,
      pid: process.pid,
      cpus: availableParallelism(),
      memory: { rss: process.memoryUsage.rss() },
    });
  });

  // HEAD is answered without the draws.
  app.head(['/randoms', '/randoms/sync'], (request, response) => {
    Draws.parse(request.query);
    response.type('json').end();
  });

  // #region randoms.draw
  app.get('/randoms', async (request, response) => {
    const { count, seed } = Draws.parse(request.query);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const counts = await drawer.draw(count, seed, gone.signal);
    if (counts) {
      const result = { count, counts: drawn(counts) };
      log(result);
      response.json(result);
    }
  });

  let turn: Promise<unknown> = Promise.resolve();
  app.get('/randoms/sync', async (request, response) => {
    const { count, seed } = Draws.parse(request.query);
    turn = turn.then(() => setImmediate());
    await turn; // one result in each turn of the event loop: other requests, timers and signals come between two
    if (!response.closed) {
      const result = { count, counts: drawn(draw(count, seed)) }; // the event loop does nothing else meanwhile
      log(result);
      response.json(result);
    }
  });
  // #endregion randoms.draw

  app.use((_request, _response, next) => next(createError(404, 'No such resource.')));
  app.use(problemHandler(logger));
  return app;
}

/** The numbers that were drawn, each with how often. */
function drawn(counts: Uint32Array): Record<number, number> {
  const numbers: Record<number, number> = {};
  counts.forEach((times, index) => {
    if (times > 0) {
      numbers[index + 1] = times;
    }
  });
  return numbers;
}
