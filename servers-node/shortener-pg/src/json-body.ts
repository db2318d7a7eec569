import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import createError from 'http-errors';

const LIMIT = 8_192;
const MANY_CHUNKS = 1_000;
const SMALL_CHUNK = 16;

/** The value of a JSON body. A body that is too large is read to its end, and not kept: its client is told when it reads. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw createError(415, 'The body must be application/json.');
  }
  const chunks: Buffer[] = [];
  let size = 0;
  let number = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    number += 1;
    if (number > MANY_CHUNKS && size / number < SMALL_CHUNK) {
      request.destroy(new Error('Too many chunks.')); // tiny ones cost far more than their bytes
    } else if (size <= LIMIT) {
      chunks.push(chunk);
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
