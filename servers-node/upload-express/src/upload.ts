import type { Readable, Writable } from 'node:stream';
import { parse } from 'content-type';
import type { Request, RequestHandler } from 'express';
import multer, { MulterError } from 'multer';
import { Problem } from './problem.ts';
import type { FileStore } from './store.ts';

declare global {
  namespace Express {
    namespace Multer {
      interface File {
        id: string;
      }
    }
  }
}

export interface Limits {
  readonly maxFileBytes: number;
  readonly maxRequestBytes: number;
}

/** Its types do not know it yet. */
interface Options extends multer.Options {
  streamHandler(request: Request, parser: Writable): void;
}

const FIELD = 'files';
const MAX_FILES = 2;
/** Bytes over the limit that are read and thrown away, so that the 413 reaches a client that is still sending. */
const MAX_EXCESS = 16 * 1024 * 1024;
/** RFC 2046, 5.1.1. */
const BOUNDARY = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;

// A byte order mark belongs to a name like any other character.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Refuses what its head alone shows to be wrong. */
export function checkHead({ maxRequestBytes }: Limits): RequestHandler {
  return (request, _response, next) => {
    const { type, parameters } = parse(request.headers['content-type'] ?? '');
    const { 'content-encoding': coding = 'identity', 'content-length': length } = request.headers;
    if (type !== 'multipart/form-data' || coding.toLowerCase() !== 'identity') {
      throw new Problem(415, 'Content-Type must be multipart/form-data.');
    }
    if (Number(length) > maxRequestBytes) {
      throw tooLarge();
    }
    if (!BOUNDARY.test(parameters.boundary ?? '')) {
      throw malformed();
    }
    next();
  };
}

/**
 * Stores the files of a request and shows them in `request.files`. If it calls back with an error nothing is left of
 * them, and the rest of the body has been read.
 */
export function receiveFiles(store: FileStore, { maxFileBytes, maxRequestBytes }: Limits): RequestHandler {
  const options: Options = {
    limits: { fileSize: maxFileBytes },
    preservePath: true, // `accept` takes the last segment; multer's own rule drops names like `..`
    storage: {
      _handleFile(request, file, done) {
        // The parser may leave a file without an end: two dashes behind a delimiter in its header are enough.
        request.res?.once('close', () => file.stream.destroy());
        store.write(file.stream).then((written) => done(null, written), done);
      },
      _removeFile(_request, file, done) {
        store.discard(file.id).then(() => done(null), done);
      },
    },
    fileFilter(request, file, done) {
      const problem = accept(request, file);
      problem ? done(problem) : done(null, true);
    },
    streamHandler(request, parser) {
      // Without a listener the parser skips fields that are no files instead of collecting them.
      parser.removeAllListeners('field');
      let size = 0;
      (request as Readable).on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxRequestBytes + MAX_EXCESS) {
          request.destroy();
        } else if (size > maxRequestBytes) {
          parser.destroy(tooLarge());
        }
      });
      request.pipe(parser);
    },
  };
  const receive = multer(options).any();

  return (request, response, next) => {
    receive(request, response, (error?: unknown) => {
      if (error) {
        next(problemOf(error));
      } else if (request.files === undefined) {
        next(malformed()); // no body at all
      } else if (request.files.length === 0) {
        next(new Problem(400, 'At least one file is required.'));
      } else {
        next();
      }
    });
  };
}

/** Decides about a file whose content is still to come, and settles its name. */
function accept(request: Request, file: Express.Multer.File): Problem | undefined {
  try {
    const name = utf8.decode(Buffer.from(file.originalname, 'latin1'));
    file.originalname = name.replace(/^.*[/\\]/s, '');
  } catch {
    return malformed();
  }
  if (file.fieldname !== FIELD) {
    return unexpectedField();
  }
  // This one is already among them.
  if ((request.files?.length as number) > MAX_FILES) {
    return new Problem(400, `At most ${MAX_FILES} files are accepted.`);
  }
  return undefined;
}

/** What multer calls back with, as an answer. */
function problemOf(error: unknown): unknown {
  if (error instanceof MulterError) {
    return error.code === 'LIMIT_FILE_SIZE' ? tooLarge() : unexpectedField();
  }
  // The parser's own errors have neither a class nor a code; those of the file system do.
  return error instanceof Problem || (error as NodeJS.ErrnoException).code !== undefined ? error : malformed();
}

function malformed(): Problem {
  return new Problem(400, 'Malformed multipart body.');
}

function unexpectedField(): Problem {
  return new Problem(400, 'Unexpected file field.');
}

function tooLarge(): Problem {
  return new Problem(413, 'Request body too large.');
}
