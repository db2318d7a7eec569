import type { Readable, Writable } from 'node:stream';
import type { Request, RequestHandler } from 'express';
import createError from 'http-errors';
import multer, { MulterError, type StorageEngine } from 'multer';

const MANY_CHUNKS = 1_000;
const SMALL_CHUNK = 16;

export interface Limits {
  maxFileBytes: number;
  maxRequestBytes: number;
}

/** multer has this option; its types do not. */
interface Options extends multer.Options {
  streamHandler(request: Request, parser: Writable): void;
}

/** Refuses what is no form, or says of itself that it is too large. */
export function onlyForms({ maxRequestBytes }: Limits): RequestHandler {
  return (request, _response, next) => {
    if (request.is('multipart/form-data') === false) {
      next(createError(415, 'The body must be multipart/form-data.'));
    } else {
      next(Number(request.headers['content-length']) > maxRequestBytes ? tooLarge() : undefined);
    }
  };
}

/** Gives the files of a form to the storage as they come, then shows them in `request.files`. */
export function parseForm(storage: StorageEngine, { maxFileBytes, maxRequestBytes }: Limits): RequestHandler {
  const options: Options = {
    storage,
    limits: { fileSize: maxFileBytes, fields: 10, fieldSize: 10_000, parts: 100 },
    defParamCharset: 'utf8', // of names
    // multer has no limit for the whole request.
    streamHandler(request, parser) {
      let size = 0;
      let chunks = 0;
      (request as Readable).on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks += 1;
        if (chunks > MANY_CHUNKS && size / chunks < SMALL_CHUNK) {
          request.socket.destroy(); // they cost far more than their bytes
          request.unpipe(parser).resume(); // those that Node has read already are not kept
        } else if (size > maxRequestBytes) {
          parser.destroy(tooLarge());
        }
      });
      request.pipe(parser);
    },
  };
  const parse = multer(options).array('files[]', 2);
  return (request, response, next) => parse(request, response, (error) => next(error && problemOf(error)));
}

/** What multer refuses is the client's fault. Its parser, busboy, throws plain errors: no class, no code. */
function problemOf(error: Error): Error {
  if (error instanceof MulterError) {
    return createError(error.code === 'LIMIT_FILE_SIZE' ? 413 : 400, `${error.message}.`);
  }
  return error.name === 'Error' && !('code' in error) ? createError(400, `${error.message}.`) : error;
}

function tooLarge(): Error {
  return createError(413, 'The request is too large.');
}
