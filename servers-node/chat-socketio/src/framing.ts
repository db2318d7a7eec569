import type { IncomingMessage, ServerResponse } from 'node:http';
import createError from 'http-errors';

type Next = (error?: unknown) => void;

/** Refuses a head that a proxy in front may read in another way, and closes the connection. */
export function refuseUnsoundFraming(request: IncomingMessage, response: ServerResponse, next: Next): void {
  const { host, 'transfer-encoding': coding } = request.headersDistinct;
  const isUnsound = request.httpVersion === '1.0' ? coding !== undefined : host?.length !== 1;
  if (isUnsound) {
    response.setHeader('Connection', 'close');
  }
  next(isUnsound ? createError(400, 'HTTP/1.1 needs one Host, HTTP/1.0 has no Transfer-Encoding.') : undefined);
}

/** Node drops the bytes that come together with a head that asks for an upgrade, and gets none. */
export function closeAfterUpgrade({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.upgrade !== undefined) {
    response.setHeader('Connection', 'close');
  }
}
