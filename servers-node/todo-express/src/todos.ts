import { Router } from 'express';
import createError from 'http-errors';
import { z } from 'zod';
import { onlyJson, parseJson } from './json-body.ts';
import { Changes, Content, NewTodo, type Todo } from './todo.ts';
import type { TodoStore } from './todo-store.ts';

const Digits = z.string().regex(/^\d+$/, 'must be digits').transform(Number);
const Path = z.object({ id: Digits.pipe(z.int().min(1)) });
const Page = z.object({
  limit: Digits.pipe(z.int().min(1).max(100)).default(50),
  after: Digits.pipe(z.int()).default(0),
});

/** The routes below /todos. */
export function todoRouter(store: TodoStore): Router {
  const router = Router();

  // #region todo.list
  router.get('/', async (request, response) => {
    const { limit, after } = Page.parse(request.query);
    // One more than is shown says whether there is a next page.
    const todos = await store.list(after, limit + 1);
    const items = todos.slice(0, limit);
    response.json({ items, next: todos.length > limit ? items.at(-1)?.id : null });
  });
  // #endregion todo.list

  // #region todo.create
  router.post('/', onlyJson, parseJson, async (request, response) => {
    const todo = await store.insert(NewTodo.parse(request.body));
    response.status(201).location(`/todos/${todo.id}`).json(todo);
  });
  // #endregion todo.create

  router.get('/:id', async (request, response) => {
    const { id } = Path.parse(request.params);
    response.json(found(await store.find(id)));
  });

  // #region todo.update
  router.put('/:id', onlyJson, parseJson, async (request, response) => {
    const { id } = Path.parse(request.params);
    response.json(found(await store.update(id, Content.parse(request.body))));
  });

  router.patch('/:id', onlyJson, parseJson, async (request, response) => {
    const { id } = Path.parse(request.params);
    response.json(found(await store.update(id, Changes.parse(request.body))));
  });
  // #endregion todo.update

  router.delete('/:id', async (request, response) => {
    const { id } = Path.parse(request.params);
    found(await store.delete(id));
    response.status(204).end();
  });

  return router;
}

function found(todo: Todo | undefined): Todo {
  if (!todo) {
    throw createError(404, 'No such todo.');
  }
  return todo;
}
