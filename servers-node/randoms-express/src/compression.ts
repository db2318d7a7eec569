import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

const gzip = promisify(zlib.gzip);

export interface Coded {
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Uint8Array;
}

/** Codes the bodies of answers for clients that take gzip, from a size on. */
export class Compression {
  readonly #minBytes: number;

  constructor(minBytes: number) {
    this.#minBytes = minBytes;
  }

  // #region randoms.compress
  /** The body as it is to be sent, with the header fields that say so. */
  async encode(request: IncomingMessage, body: string): Promise<Coded> {
    if (Buffer.byteLength(body) < this.#minBytes) {
      return { headers: {}, body };
    }
    if (!takesGzip(request.headers['accept-encoding'])) {
      return { headers: { Vary: 'Accept-Encoding' }, body };
    }
    // Not on the event loop: zlib has threads of its own.
    return { headers: { Vary: 'Accept-Encoding', 'Content-Encoding': 'gzip' }, body: await gzip(body) };
  }
  // #endregion randoms.compress
}

/** Whether gzip, by its name or an asterisk, is acceptable, and identity, if it is named, not preferred. */
function takesGzip(acceptEncoding = ''): boolean {
  const qualities = new Map<string, number>();
  for (const element of acceptEncoding.toLowerCase().split(',')) {
    const [, coding, q = '1'] = /^[ \t]*([^ \t;]+)[ \t]*(?:;[ \t]*q=([0-9.]+)[ \t]*)?$/.exec(element) ?? [];
    if (coding !== undefined) {
      qualities.set(coding, Number(q));
    }
  }
  const gzip = qualities.get('gzip') ?? qualities.get('*') ?? 0;
  return gzip > 0 && gzip >= (qualities.get('identity') ?? 0);
}
