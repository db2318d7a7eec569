import type { RequestHandler } from 'express';
import createError from 'http-errors';

/** Refuses a head that a proxy in front may read in another way, and closes the connection. */
export const refuseUnsoundFraming: RequestHandler = (request, response, next) => {
  const { host, 'transfer-encoding': coding, upgrade } = request.headers;
  const isUnsound = request.httpVersion === '1.0' ? coding !== undefined : !host || host.includes(',');
  // Node drops the bytes that come together with a head that asks for an upgrade.
  if (isUnsound || upgrade) {
    response.set('Connection', 'close');
  }
  next(isUnsound ? createError(400, 'HTTP/1.1 needs one Host, HTTP/1.0 has no Transfer-Encoding.') : undefined);
};
