import { Problem } from './problem.ts';
import type { Changes, Content } from './store.ts';

const TITLE_LIMIT = 200;
const LARGEST = 2n ** 63n - 1n;

/** What a todo is to be made of; without `completed` it is not completed. */
export function newTodoFrom(body: unknown): Content {
  const { title, completed = false } = changesFrom(body, ['title']);
  return { title: title as string, completed };
}

/** What replaces a todo: both members. */
export function contentFrom(body: unknown): Content {
  return changesFrom(body, ['title', 'completed']) as Content;
}

/** Any of the two members. The first broken rule counts: object, other members, title, completed. */
export function changesFrom(body: unknown, required: string[] = []): Changes {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Problem(422, 'Request body must be an object.');
  }
  // The order of UTF-8's bytes is that of the code points.
  const [unknown] = Object.keys(body)
    .filter((name) => name !== 'title' && name !== 'completed')
    .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  if (unknown !== undefined) {
    throw new Problem(422, `Unknown member: ${unknown}.`);
  }
  for (const { name, accepts, rule } of RULES) {
    if (Object.hasOwn(body, name)) {
      if (!accepts((body as Record<string, unknown>)[name])) {
        throw new Problem(422, rule);
      }
    } else if (required.includes(name)) {
      throw new Problem(422, `${name} is required.`);
    }
  }
  return body;
}

const RULES = [
  { name: 'title', accepts: isTitle, rule: 'title must be a string of 1 to 200 characters.' },
  { name: 'completed', accepts: isBoolean, rule: 'completed must be a boolean.' },
];

/** Characters are code points; PostgreSQL does not take U+0000. */
function isTitle(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.length <= 2 * TITLE_LIMIT &&
    [...value].length <= TITLE_LIMIT &&
    /[^\t-\r ]/.test(value) &&
    !value.includes('\0')
  );
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

/** An id as it stands in a path; undefined for what cannot be one. */
export function idFrom(segment: string): string | undefined {
  return /^[1-9][0-9]{0,18}$/.test(segment) && BigInt(segment) <= LARGEST ? segment : undefined;
}

/** Of a parameter that is given twice, the first counts. */
export function pageFrom(query: URLSearchParams): { limit: number; after: string } {
  const limit = query.get('limit') ?? '50';
  if (!/^([1-9][0-9]?|100)$/.test(limit)) {
    throw new Problem(400, 'limit must be an integer from 1 to 100.');
  }
  const after = query.get('after') ?? '0';
  if (after !== '0' && idFrom(after) === undefined) {
    throw new Problem(400, 'after must be a non-negative integer.');
  }
  return { limit: Number(limit), after };
}
