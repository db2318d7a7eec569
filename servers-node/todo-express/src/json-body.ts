import { isUtf8 } from 'node:buffer';
import express, { type RequestHandler } from 'express';
import createError from 'http-errors';

/** Refuses a body of another type, which express.json() would pass over. */
export const onlyJson: RequestHandler = (request, _response, next) => {
  next(request.is('json') === false ? createError(415, 'The body must be application/json.') : undefined);
};

/** Puts the value of the body into `request.body`. */
export const parseJson = express.json({
  limit: '64kb',
  inflate: false,
  // express.json() takes an empty body for {}, a charset for what it says, and stores U+FFFD for what is not UTF-8.
  verify: (_request, _response, body, charset) => {
    if (body.length === 0 || charset !== 'utf-8' || !isUtf8(body)) {
      throw createError(400, 'The body must be JSON in UTF-8.');
    }
  },
});
