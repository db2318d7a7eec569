import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler } from 'express';
import createError from 'http-errors';
import type { Logger } from 'pino';
import { ZodError } from 'zod';

/** Answers with a problem (RFC 9457). What Express, express.json() and http-errors throw has a `status`. */
export function problemHandler(logger: Logger): ErrorRequestHandler {
  return (error, request, response, next) => {
    if (response.closed) {
      return; // its client has left
    }
    if (response.headersSent) {
      next(error); // Express closes the connection
      return;
    }
    const { status = 500, message } = error instanceof ZodError ? createError(400, sentence(error)) : error;
    const detail = status === 500 ? 'The server made a mistake.' : message;
    if (status === 500) {
      logger.error({ err: error, method: request.method, url: request.originalUrl }, 'request failed');
    }
    response.status(status).type('application/problem+json').json({ title: STATUS_CODES[status], status, detail });
  };
}

function sentence({ issues }: ZodError): string {
  return issues.map(({ path, message }) => [...path, message].join(': ')).join('; ');
}
