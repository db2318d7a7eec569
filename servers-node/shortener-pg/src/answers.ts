import { type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';

// The name is newer than Node's table (RFC 9110).
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
}

export function sendEmpty(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'Content-Length': 0 }).end();
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  const body = JSON.stringify(value);
  response
    .writeHead(status, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      ...headers,
    })
    .end(body);
}

export function sendProblem(response: ServerResponse, { status, message, headers }: Problem): void {
  const problem = { type: 'about:blank', title: TITLES[status], status, detail: message };
  sendJson(response, status, problem, { 'Content-Type': 'application/problem+json', ...headers });
}
