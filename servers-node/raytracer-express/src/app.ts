import express, { type Express } from 'express';
import createError from 'http-errors';
import type { Logger } from 'pino';
import { z } from 'zod';
import { refuseUnsoundFraming } from './framing.ts';
import { problemHandler } from './problem.ts';
import type { Renderer } from './renderer.ts';

const Size = z.object({ width: integer(1, 1_920), height: integer(1, 1_080), depth: integer(0, 10) });

function integer(least: number, most: number) {
  return z.string().regex(/^\d+$/, 'must be digits').transform(Number).pipe(z.int().min(least).max(most));
}

/** The application with all its routes. */
export function createApp(renderer: Renderer, logger: Logger): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(refuseUnsoundFraming);

  app.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });

  // HEAD is answered without the work.
  app.head('/render', (request, response) => {
    Size.parse(request.query);
    response.type('png').end();
  });

  // #region raytracer.render
  app.get('/render', async (request, response) => {
    const size = Size.parse(request.query);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const png = await renderer.render(size, gone.signal);
    if (png) {
      response.type('png').send(Buffer.from(png.buffer, png.byteOffset, png.byteLength)); // not a copy
    }
  });
  // #endregion raytracer.render

  app.use((_request, _response, next) => next(createError(404, 'No such resource.')));
  app.use(problemHandler(logger));
  return app;
}
