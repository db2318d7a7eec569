import type { IncomingMessage, ServerResponse } from 'node:http';
import createError from 'http-errors';

/** Refuses a head that a proxy in front may read in another way, and closes the connection. */
export function refuseUnsoundFraming({ headers, httpVersion }: IncomingMessage, response: ServerResponse): void {
  const { host, 'transfer-encoding': coding, upgrade } = headers;
  const isUnsound = httpVersion === '1.0' ? coding !== undefined : !host || host.includes(',');
  // Node drops the bytes that come together with a head that asks for an upgrade.
  if (isUnsound || upgrade) {
    response.setHeader('Connection', 'close');
  }
  if (isUnsound) {
    throw createError(400, 'HTTP/1.1 needs one Host, HTTP/1.0 has no Transfer-Encoding.');
  }
}
