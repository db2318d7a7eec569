import createError from 'http-errors';
import { z } from 'zod';
import type { Upstream } from './upstream.ts';

const Todos = z.object({
  items: z.array(z.object({ id: z.int(), title: z.string(), completed: z.boolean() })),
});
type Item = z.infer<typeof Todos>['items'][number];

/** Where reports come from. */
export interface Sources {
  todo: Upstream;
  raytracer: Upstream;
  timeoutMs: number;
}

// #region report.fetch-both
/** Asks both at the same time. The first failure is thrown; aborting `cut` ends what is unfinished. */
export async function makeReport({ todo, raytracer, timeoutMs }: Sources, cut: AbortController): Promise<object> {
  const timer = setTimeout(() => cut.abort(createError(504, 'An upstream is late.')), timeoutMs);
  try {
    const [{ items }, picture] = await Promise.all([
      todo.get(cut.signal, readTodos),
      raytracer.get(cut.signal, (body) => body.toString('base64')),
    ]);
    return { items, picture, ...summary(items) };
  } finally {
    clearTimeout(timer);
  }
}
// #endregion report.fetch-both

export function readTodos(body: Buffer): z.infer<typeof Todos> {
  return Todos.parse(JSON.parse(body.toString()));
}

export function summary(items: Item[]): { total: number; completed: number; percentage: number } {
  const total = items.length;
  const completed = items.filter((item) => item.completed).length;
  return { total, completed, percentage: Math.floor((200 * completed + total) / (2 * total)) || 0 }; // rounded half up
}
