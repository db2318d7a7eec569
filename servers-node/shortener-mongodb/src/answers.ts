import { type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: OutgoingHttpHeaders = { 'Content-Type': 'application/json' },
): void {
  const body = JSON.stringify(value);
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
}

/** A problem (RFC 9457). */
export function sendProblem(response: ServerResponse, status: number, detail: string): void {
  const problem = { title: STATUS_CODES[status], status, detail };
  sendJson(response, status, problem, { 'Content-Type': 'application/problem+json' });
}
