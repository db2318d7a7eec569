import { join } from 'node:path';
import express, { type Express } from 'express';
import createError from 'http-errors';
import type { Logger } from 'pino';
import type { Limits } from './form.ts';
import { refuseUnsoundFraming } from './framing.ts';
import { problemHandler } from './problem.ts';
import type { UploadFolder } from './upload-folder.ts';
import { uploadRouter } from './uploads.ts';

const PUBLIC = join(import.meta.dirname, '../public');
const PAGE_POLICY = "base-uri 'none'; frame-ancestors 'none'";

/** The application with all its routes. */
export function createApp(folder: UploadFolder, limits: Limits, logger: Logger): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(refuseUnsoundFraming);

  app.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  app.use('/uploads', uploadRouter(folder, limits));
  app.use(
    express.static(PUBLIC, {
      setHeaders: (response) => response.setHeader('Content-Security-Policy', PAGE_POLICY),
    }),
  );

  app.use((_request, _response, next) => next(createError(404, 'No such resource.')));
  app.use(problemHandler(logger));
  return app;
}
