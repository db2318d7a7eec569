import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import createError from 'http-errors';

const LIMIT = 8_192;
const MANY_CHUNKS = 100;

/** The value of a JSON body. A body that is too large is read to its end, and not kept: its client is told when it reads. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw createError(415, 'The body must be application/json.');
  }
  let chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= LIMIT) {
      chunks.push(chunk);
    }
    if (chunks.length === MANY_CHUNKS) {
      chunks = [Buffer.concat(chunks)]; // tiny ones take far more memory than their bytes
    }
  });
  await finished(request);
  if (size > LIMIT) {
    throw createError(413, `The body must have at most ${LIMIT} bytes.`);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw createError(400, 'The body must be JSON.');
  }
}
