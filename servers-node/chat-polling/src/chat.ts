import { type Response, Router } from 'express';
import { z } from 'zod';
import { onlyJson, parseJson } from './json-body.ts';
import { NewMessage, User } from './message.ts';
import type { Room } from './room.ts';

const Digits = z.string().regex(/^\d+$/, 'must be digits').transform(Number);
const Poll = z.object({ after: Digits.pipe(z.int()).default(0), user: User.optional() });

const MAX_UNSENT = 64 * 1024 * 1024;

/** The routes of the room. */
export function chatRouter(room: Room): Router {
  const router = Router();

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

  // #region chat.deliver
  router.get('/messages', (request, response) => {
    const { after, user } = Poll.parse(request.query);
    if (user) {
      room.see(user);
    }
    send(response, { room: room.name, messages: room.after(after), last: room.last });
  });
  // #endregion chat.deliver

  // #region chat.post-message
  router.post('/messages', onlyJson, parseJson, (request, response) => {
    const { user, text } = NewMessage.parse(request.body);
    response.status(201).json({ room: room.name, ...room.post(user, text) });
  });
  // #endregion chat.post-message

  // #region chat.presence
  router.get('/presence', (_request, response) => {
    send(response, { room: room.name, users: room.users() });
  });
  // #endregion chat.presence

  return router;
}
