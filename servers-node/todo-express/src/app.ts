import express, { type ErrorRequestHandler, type Express, type RequestHandler, Router } from 'express';
import { jsonBody } from './body.ts';
import { Problem } from './problem.ts';
import { changesFrom, contentFrom, idFrom, newTodoFrom, pageFrom } from './rules.ts';
import { StoreUnavailable, type Todo, type TodoStore } from './store.ts';

/** The application with all its routes. */
export function createApp(store: TodoStore): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  // The question mark of its own keeps URLSearchParams from dropping one that is part of a name.
  app.set('query parser', (query: string | null) => new URLSearchParams(`?${query ?? ''}`));
  app.use(decodePath, ignoreConditions, routes(store));
  app.use(() => {
    throw new Problem(404, 'No such resource.');
  });
  app.use(answerWithProblem);
  return app;
}

function routes(store: TodoStore): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/healthz')
    .get(async (_request, response) => {
      await store.ping();
      response.json({ status: 'ok' });
    })
    .all(refuse('GET, HEAD'));

  router
    .route('/todos')
    // #region todo.list
    .get(async (request, response) => {
      const { limit, after } = pageFrom(request.query as unknown as URLSearchParams);
      // One more than is shown says whether there is a next page.
      const todos = await store.list(after, limit + 1);
      const items = todos.slice(0, limit);
      response.json({ items, next: todos.length > limit ? items.at(-1)?.id : null });
    })
    // #endregion todo.list
    // #region todo.create
    .post(jsonBody, async (request, response) => {
      const todo = await store.insert(newTodoFrom(request.body));
      response.status(201).location(`/todos/${todo.id.rawJSON}`).json(todo);
    })
    // #endregion todo.create
    .all(refuse('GET, HEAD, POST'));

  router
    .route('/todos/:id')
    .get(async (request, response) => {
      const id = idFrom(request.params.id);
      response.json(found(id && (await store.find(id))));
    })
    // #region todo.update
    .put(jsonBody, async (request, response) => {
      const content = contentFrom(request.body);
      const id = idFrom(request.params.id as string);
      response.json(found(id && (await store.update(id, content))));
    })
    .patch(jsonBody, async (request, response) => {
      const changes = changesFrom(request.body);
      const id = idFrom(request.params.id as string);
      response.json(found(id && (await store.update(id, changes))));
    })
    // #endregion todo.update
    .delete(async (request, response) => {
      const id = idFrom(request.params.id);
      found(id && (await store.delete(id)));
      response.status(204).end();
    })
    .all(refuse('GET, HEAD, PUT, PATCH, DELETE'));

  return router;
}

/** Routes match what is left after percent-decoding; what cannot be decoded stays as it is. */
const decodePath: RequestHandler = (request, _response, next) => {
  const [, path, query = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)(.*)$/is.exec(request.url) ?? [];
  request.url = (path || '/').split('/').map(decoded).map(encodeURIComponent).join('/') + query;
  next();
};

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Express would answer them with 304. */
const ignoreConditions: RequestHandler = (request, _response, next) => {
  delete request.headers['if-none-match'];
  delete request.headers['if-modified-since'];
  next();
};

function refuse(allow: string): RequestHandler {
  return () => {
    throw new Problem(405, 'Method not allowed.', { Allow: allow });
  };
}

/** What was found; throws if that is nothing. */
function found<T extends Todo | true>(value: T | '' | false | undefined): T {
  if (!value) {
    throw new Problem(404, 'No such todo.');
  }
  return value;
}

const answerWithProblem: ErrorRequestHandler = (error, request, response, _next) => {
  // With the connection gone, nobody is left to be told.
  if (request.errored) {
    return;
  }
  const problem = problemOf(error);
  response.status(problem.status).set(problem.headers).type('application/problem+json').json(problem.body);
};

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) {
    return error;
  }
  if (error instanceof StoreUnavailable) {
    return new Problem(503, 'Service unavailable.', { 'Retry-After': 1 });
  }
  console.error(String(error instanceof Error ? error.stack : error).replaceAll(/\s*\n\s*/g, ' | '));
  return new Problem(500, 'Internal server error.');
}
