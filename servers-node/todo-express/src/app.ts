import express, { type Express } from 'express';
import createError from 'http-errors';
import type { Logger } from 'pino';
import type { Database } from './database.ts';
import { refuseUnsoundFraming } from './framing.ts';
import { problemHandler } from './problem.ts';
import { TodoStore } from './todo-store.ts';
import { todoRouter } from './todos.ts';

/** The application with all its routes. */
export function createApp(database: Database, logger: Logger): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(refuseUnsoundFraming);

  app.get('/healthz', async (_request, response) => {
    await database.query('ping', 'select 1');
    response.json({ status: 'ok' });
  });
  app.use('/todos', todoRouter(new TodoStore(database)));

  app.use((_request, _response, next) => next(createError(404, 'No such resource.')));
  app.use(problemHandler(logger));
  return app;
}
