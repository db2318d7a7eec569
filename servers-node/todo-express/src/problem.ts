import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler } from 'express';
import createError from 'http-errors';
import type { Logger } from 'pino';
import { ZodError, z } from 'zod';

/** Answers with a problem (RFC 9457). What Express, express.json() and http-errors throw has a `status`. */
export function problemHandler(logger: Logger): ErrorRequestHandler {
  return (error, _request, response, next) => {
    if (response.headersSent) {
      next(error); // Express closes the connection
      return;
    }
    const { status = 500, message } = error instanceof ZodError ? createError(400, z.prettifyError(error)) : error;
    const detail = status === 500 ? 'The server made a mistake.' : message;
    if (status === 500) {
      logger.error(error);
    }
    response.status(status).type('application/problem+json').json({ title: STATUS_CODES[status], status, detail });
  };
}
