import { type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';

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

// Node's own writeHead and end, for Express's send answers conditional requests with 304 by itself.

export function sendPage(response: ServerResponse, page: string): void {
  send(response, 200, page, { 'Content-Type': 'text/html; charset=utf-8' });
}

export function sendJson(response: ServerResponse, value: unknown): void {
  send(response, 200, JSON.stringify(value), { 'Content-Type': 'application/json' });
}

export function sendProblem(response: ServerResponse, { status, message, headers }: Problem): void {
  const problem = { type: 'about:blank', title: STATUS_CODES[status], status, detail: message };
  send(response, status, JSON.stringify(problem), { 'Content-Type': 'application/problem+json', ...headers });
}

function send(response: ServerResponse, status: number, body: string, headers: OutgoingHttpHeaders): void {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
}
