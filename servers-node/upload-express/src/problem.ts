import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler } from 'express';
import createError from 'http-errors';
import type { Logger } from 'pino';

/** Answers with a problem (RFC 9457). What Express and http-errors throw has a `status`. */
export function problemHandler(logger: Logger): ErrorRequestHandler {
  return (error, request, response, next) => {
    if (response.closed) {
      return; // its client has left
    }
    if (response.headersSent) {
      next(error); // Express closes the connection
      return;
    }
    const { status = 500, message } = isFull(error) ? createError(507, 'The disk is full.') : error;
    const detail = status === 500 ? 'The server made a mistake.' : message;
    if (status === 500) {
      logger.error({ err: error, method: request.method, url: request.originalUrl }, 'request failed');
    }
    response.status(status).type('application/problem+json').json({ title: STATUS_CODES[status], status, detail });
  };
}

/** There is no room left on the disk, or in somebody's quota. */
function isFull({ code = '' }: NodeJS.ErrnoException): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(code);
}
