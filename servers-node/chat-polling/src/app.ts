import { join } from 'node:path';
import express, { type Express } from 'express';
import createError from 'http-errors';
import type { Logger } from 'pino';
import { chatRouter } from './chat.ts';
import { refuseUnsoundFraming } from './framing.ts';
import { problemHandler } from './problem.ts';
import type { Room } from './room.ts';

const VIEWS = join(import.meta.dirname, '../views');
const ASSETS = join(import.meta.dirname, '../../_shared/chat-page/assets');
const PAGE_POLICY = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The application with all its routes. */
export function createApp(room: Room, logger: Logger): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('views', VIEWS);
  app.set('view engine', 'pug');
  app.enable('view cache');
  app.use(refuseUnsoundFraming);

  app.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  app.get('/', (_request, response) => {
    response.set('Content-Security-Policy', PAGE_POLICY).render('index', { transport: 'polling' });
  });
  app.use('/assets', express.static(ASSETS));
  app.use(chatRouter(room));

  app.use((_request, _response, next) => next(createError(404, 'No such resource.')));
  app.use(problemHandler(logger));
  return app;
}
