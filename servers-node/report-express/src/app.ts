import { join } from 'node:path';
import express, { type Express } from 'express';
import createError from 'http-errors';
import type { Logger } from 'pino';
import { refuseUnsoundFraming } from './framing.ts';
import { problemHandler } from './problem.ts';
import { makeReport, type Sources } from './report.ts';
import { OVER } from './upstream.ts';

const MAX_REPORTS = 256;
const PAGE_POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The application with all its routes. */
export function createApp(sources: Sources, logger: Logger): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('views', join(import.meta.dirname, '../views'));
  app.set('view engine', 'pug');
  app.enable('view cache');
  app.locals.compileDebug = false; // else pug keeps count of its lines
  app.use(refuseUnsoundFraming);

  app.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });

  let underWay = 0;
  app.get('/report', async (_request, response) => {
    const cut = new AbortController();
    response.once('close', () => cut.abort(OVER)); // answered, or the client has left
    if (underWay === MAX_REPORTS) {
      throw createError(503, 'Too many reports at once.');
    }
    underWay += 1;
    response.once('close', () => {
      underWay -= 1;
    });
    const report = await makeReport(sources, cut);
    response.set('Content-Security-Policy', PAGE_POLICY).render('report', report);
  });

  app.use((_request, _response, next) => next(createError(404, 'No such resource.')));
  app.use(problemHandler(logger));
  return app;
}
