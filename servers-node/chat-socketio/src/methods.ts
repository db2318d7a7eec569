import type { IncomingMessage, ServerResponse } from 'node:http';

/** Engine.IO answers 500 to a method that it does not know. */
export function onlyGetAndPost({ method }: IncomingMessage, response: ServerResponse, next: () => void): void {
  if (method === 'GET' || method === 'POST') {
    next();
  } else {
    response.statusCode = 405;
    response.setHeader('Allow', 'GET, POST');
    response.end();
  }
}
