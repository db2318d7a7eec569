import { isUtf8 } from 'node:buffer';
import express, { type RequestHandler } from 'express';
import createError from 'http-errors';

const MANY_CHUNKS = 1_000;
const SMALL_CHUNK = 16;

/** Refuses a body of another type, which express.json() would pass over. */
export const onlyJson: RequestHandler = (request, _response, next) => {
  next(request.is('json') === false ? createError(415, 'The body must be application/json.') : undefined);
};

/** Puts the value of the body into `request.body`. */
export const parseJson = limitChunks(
  express.json({
    limit: '64kb',
    inflate: false,
    // express.json() takes an empty body for {}, a charset for what it says, and stores U+FFFD for what is not UTF-8.
    verify: (_request, _response, body, charset) => {
      if (body.length === 0 || charset !== 'utf-8' || !isUtf8(body)) {
        throw createError(400, 'The body must be JSON in UTF-8.');
      }
    },
  }),
);

/**
 * Refuses a body in tiny chunks as too large, and closes the connection. express.json() keeps each chunk as it is, some
 * 200 bytes for one byte, and reads what it refuses to the end.
 */
function limitChunks(parse: RequestHandler): RequestHandler {
  return (request, response, next) => {
    let size = 0;
    let chunks = 0;
    let isRefused = false;
    const count = (chunk: Buffer) => {
      size += chunk.length;
      chunks += 1;
      if (chunks > MANY_CHUNKS && size / chunks < SMALL_CHUNK) {
        isRefused = true;
        response.set('Connection', 'close');
        next(createError(413, 'The body comes in too many tiny chunks.'));
        request.destroy(); // now, and not when the answer has gone: Node goes on with what it has read, 64 KiB at most
      }
    };
    request.on('data', count);
    parse(request, response, (error) => {
      request.off('data', count);
      if (!isRefused) {
        next(error);
      }
    });
  };
}
