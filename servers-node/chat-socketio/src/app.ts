import { fileURLToPath } from 'node:url';
import express, { type Express, type Response } from 'express';
import createError from 'http-errors';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Delivery } from './delivery.ts';
import { refuseUnsoundFraming } from './framing.ts';
import { onlyJson, parseJson } from './json-body.ts';
import { NewMessage, User } from './message.ts';
import { problemHandler } from './problem.ts';
import type { Room } from './room.ts';

const VIEWS = fileURLToPath(new URL('../views', import.meta.url));
const ASSETS = fileURLToPath(new URL('../../_shared/chat-page/assets', import.meta.url));
const MAX_UNSENT = 64 * 1024 * 1024;
const PAGE_POLICY = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const Poll = z.object({
  after: z.string().regex(/^\d+$/, 'must be digits').transform(Number).pipe(z.int()).default(0),
  user: User.optional(), // nobody is present for having asked
});

/** The application with all its routes. */
export function createApp(room: Room, delivery: Delivery, transport: string, logger: Logger): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('views', VIEWS);
  app.set('view engine', 'pug');
  app.enable('view cache');
  app.use(refuseUnsoundFraming);

  app.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });

  app.get('/', (_request, response) => {
    response.set('Content-Security-Policy', PAGE_POLICY).render('index', { transport });
  });
  app.use('/assets', express.static(ASSETS, { index: false, redirect: false }));

  let unsent = 0; // bytes of answers that clients have not read
  /** Sends JSON, or ends the connection if clients leave too much unread. */
  function send(response: Response, value: object): void {
    response.json(value);
    const { writableLength } = response; // 0 if it fits into the socket's buffers
    unsent += writableLength;
    response.once('close', () => {
      unsent -= writableLength;
    });
    if (writableLength > 0 && unsent > MAX_UNSENT) {
      response.destroy();
    }
  }

  app.get('/messages', (request, response) => {
    const { after } = Poll.parse(request.query);
    send(response, { room: room.name, messages: room.since(after), last: room.last });
  });

  // #region chat.post-message
  app.post('/messages', onlyJson, parseJson, (request, response) => {
    const { user, text } = NewMessage.parse(request.body);
    const message = room.post(user, text);
    delivery.deliver(message);
    response.status(201).json({ room: room.name, ...message });
  });
  // #endregion chat.post-message

  app.get('/presence', (_request, response) => {
    send(response, { room: room.name, users: room.users() });
  });

  app.use((_request, _response, next) => next(createError(404, 'No such resource.')));
  app.use(problemHandler(logger));
  return app;
}
