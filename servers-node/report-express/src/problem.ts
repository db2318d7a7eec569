import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler } from 'express';
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
    const { status = 500, message } = error;
    const detail = status === 500 ? 'The server made a mistake.' : message;
    if (status === 500) {
      logger.error({ err: error, method: request.method, url: request.originalUrl }, 'request failed');
    }
    response.status(status).type('application/problem+json').json({ title: STATUS_CODES[status], status, detail });
  };
}
