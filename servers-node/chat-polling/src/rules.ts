import { Problem } from './problem.ts';

export interface Post {
  readonly user: string;
  readonly text: string;
}

export const USER_RULE = 'user must be a string of 1 to 32 characters.';
export const TEXT_RULE = 'text must be a string of 1 to 500 characters.';

const LARGEST = 2n ** 63n - 1n;

/** Characters are code points; no control characters, no half of a surrogate pair. */
export function isUser(value: unknown): value is string {
  return typeof value === 'string' && /^[^\p{Cc}\p{Cs}]{1,32}$/u.test(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && /^[^\p{Cc}\p{Cs}]{1,500}$/u.test(value);
}

/** What is said, and by whom. The first broken rule counts: object, other members, user, text. */
export function postFrom(body: unknown): Post {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Problem(400, 'Request body must be an object.');
  }
  // The order of UTF-8's bytes is that of the code points.
  const [unknown] = Object.keys(body)
    .filter((name) => name !== 'user' && name !== 'text')
    .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  if (unknown !== undefined) {
    throw new Problem(400, `Unknown member: ${unknown}.`);
  }
  const { user, text } = body as Record<keyof Post, unknown>;
  if (!isUser(user)) {
    throw new Problem(400, USER_RULE);
  }
  if (!isText(text)) {
    throw new Problem(400, TEXT_RULE);
  }
  return { user, text };
}

/** Who asks, and for messages newer than which. Of a parameter that is given twice, the first counts. */
export function pollFrom(query: URLSearchParams): { after: number; user: string | null } {
  const after = query.get('after') ?? '0';
  if (!/^(0|[1-9][0-9]{0,18})$/.test(after) || BigInt(after) > LARGEST) {
    throw new Problem(400, 'after must be a non-negative integer.');
  }
  const user = query.get('user');
  if (user !== null && !isUser(user)) {
    throw new Problem(400, USER_RULE);
  }
  return { after: Number(after), user };
}
