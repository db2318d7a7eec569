import { type OutgoingHttpHeaders, STATUS_CODES } from 'node:http';

// A name is newer than Node's table (RFC 9110).
const TITLES: Record<number, string | undefined> = {
  ...STATUS_CODES,
  413: 'Content Too Large',
};

/** An answer that is an error (RFC 9457); thrown by what cannot go on. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;

  constructor(status: number, detail: string, headers: OutgoingHttpHeaders = {}) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }

  get body(): object {
    return { type: 'about:blank', title: TITLES[this.status], status: this.status, detail: this.message };
  }
}
