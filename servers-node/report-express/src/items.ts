export interface Item {
  readonly id: bigint;
  readonly title: string;
  readonly completed: boolean;
}

// Node has the reviver's third parameter, TypeScript's library does not know it yet.
declare global {
  interface JSON {
    parse(text: string, reviver: (name: string, value: unknown, context: { source?: string }) => unknown): unknown;
  }
}

const DEPTH_LIMIT = 64;
const LARGEST_ID = 2n ** 63n - 1n;

// A byte order mark is kept, so that JSON.parse refuses it.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The items of a list of todos, as JSON; throws if it is no such thing. */
export function itemsFrom(json: Uint8Array): Item[] {
  const list = parseJson(json);
  if (typeof list !== 'object' || list === null || !('items' in list) || !Array.isArray(list.items)) {
    throw new TypeError('not a list of todos');
  }
  if (!list.items.every(isItem)) {
    throw new TypeError('not a todo');
  }
  return list.items;
}

function isItem(value: unknown): value is Item {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  const { id, title, completed } = value as Record<string, unknown>;
  const isId = typeof id === 'bigint' && id >= 1n && id <= LARGEST_ID;
  return isId && typeof title === 'string' && typeof completed === 'boolean';
}

/** The value of a JSON text, numbers that are written with digits alone as bigint. */
function parseJson(bytes: Uint8Array): unknown {
  const text = utf8.decode(bytes);
  // Two rules are checked on the text: of a duplicate member, JSON.parse shows the last value alone.
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') {
      depth += 1;
      if (depth > DEPTH_LIMIT) {
        throw new SyntaxError('nested too deeply');
      }
    } else if (token === ']' || token === '}') {
      depth -= 1;
    } else if (!(JSON.parse(token) as string).isWellFormed()) {
      throw new SyntaxError('lone surrogate');
    }
  }
  return JSON.parse(text, exactly);
}

/** A reviver: a number would lose the last digits of a large id. */
function exactly(_name: string, value: unknown, { source = '' }: { source?: string }): unknown {
  return typeof value === 'number' && /^[1-9][0-9]{0,18}$/.test(source) ? BigInt(source) : value;
}
