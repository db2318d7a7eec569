import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { Problem } from './problem.ts';

const BODY_LIMIT = 64 * 1024;
const DRAIN_LIMIT = 2 * 1024 * 1024;
const DEPTH_LIMIT = 64;

// A byte order mark is kept, so that JSON.parse refuses it.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Puts the JSON value of the body into `request.body`. Stricter than express.json(), which forgives too much. */
export const jsonBody: RequestHandler = async (request, _response, next) => {
  const { 'content-type': type = '', 'content-encoding': coding = 'identity' } = request.headers;
  if (!/^application\/json[ \t]*(;|$)/i.test(type) || coding.toLowerCase() !== 'identity') {
    throw new Problem(415, 'Content-Type must be application/json.');
  }
  const body = await readBody(request);
  if (body === undefined) {
    throw new Problem(413, 'Request body too large.');
  }
  try {
    request.body = parseJson(body);
  } catch {
    throw new Problem(400, 'Request body is not valid JSON.');
  }
  next();
};

/**
 * The whole body; undefined as soon as it is known to be too large. The rest of a body that is too large is read and
 * thrown away, so that the answer reaches a client that is still sending; a client that does not stop is cut off.
 */
function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length']) > BODY_LIMIT) {
      resolve(undefined);
    }
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_LIMIT) {
        chunks.push(chunk);
      } else if (size <= DRAIN_LIMIT) {
        resolve(undefined);
      } else {
        request.destroy();
      }
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

/** The value of a JSON text; throws a SyntaxError or a TypeError (not UTF-8) if it is none. */
function parseJson(bytes: Uint8Array): unknown {
  const text = utf8.decode(bytes);
  const value: unknown = JSON.parse(text);

  // These two rules are checked on the text: of a duplicate member, JSON.parse shows the last value alone.
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]+|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') {
      depth += 1;
      if (depth > DEPTH_LIMIT) {
        throw new SyntaxError('nested too deeply');
      }
    } else if (token === ']' || token === '}') {
      depth -= 1;
    } else if (token.includes('\\u') && !(JSON.parse(token) as string).isWellFormed()) {
      throw new SyntaxError('lone surrogate');
    }
  }
  return value;
}
