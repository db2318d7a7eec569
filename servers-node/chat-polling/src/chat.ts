import { type Response, Router } from 'express';
import createError from 'http-errors';
import { z } from 'zod';
import { onlyJson, parseJson } from './json-body.ts';
import { NewMessage, User } from './message.ts';
import type { Room } from './room.ts';

const Digits = z.string().regex(/^\d+$/, 'must be digits').transform(Number);
const Listen = z.object({ after: Digits.pipe(z.int()).default(0), user: User.optional() });
const Poll = Listen.extend({ wait: Digits.pipe(z.int().max(20)).default(0) });

const MAX_UNSENT = 64 * 1024 * 1024;
const MAX_STREAMS = 1_000; // each keeps 64 KiB for a client that does not read, Node's high-water mark
const COMMENT_MS = 8_000;

/** The routes of the room. */
export function chatRouter(room: Room): Router {
  const router = Router();

  let unsent = 0; // bytes of answers that clients have not read
  /** Sends JSON, or ends the connection if clients leave too much unread. */
  function send(response: Response, value: object): void {
    if (response.closed) {
      return; // its client has left while it waited
    }
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
  // #region chat.long-poll
  router.get('/messages', async (request, response) => {
    const { after, wait, user } = Poll.parse(request.query);
    const leave = user ? room.enter(user) : () => {};
    if (wait > 0) {
      const enough = new AbortController();
      const timer = setTimeout(() => enough.abort(), wait * 1_000);
      response.once('close', () => enough.abort()); // its client may leave
      await room.newerThan(after, enough.signal);
      clearTimeout(timer);
    }
    leave();
    send(response, { room: room.name, messages: room.after(after), last: room.last });
  });
  // #endregion chat.long-poll
  // #endregion chat.deliver

  // #region chat.events
  let streams = 0;
  router.get('/events', (request, response) => {
    const lastEventId = request.get('Last-Event-ID');
    const { after, user } = Listen.parse({ ...request.query, ...(lastEventId && { after: lastEventId }) });
    if (streams === MAX_STREAMS) {
      throw createError(503, `${MAX_STREAMS} clients listen already.`);
    }
    response.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }

    let told = Math.max(after, room.forgotten);
    function tell(): void {
      if (told < room.forgotten) {
        response.destroy(); // its client does not read: the next message is not kept any more
        return;
      }
      for (const message of room.after(told)) {
        if (response.writableNeedDrain || response.writableEnded) {
          return; // 'drain' goes on
        }
        response.write(`id: ${message.id}\ndata: ${JSON.stringify(message)}\n\n`);
        told = message.id;
      }
      if (!room.isOpen) {
        response.end();
      }
    }

    streams += 1;
    const leave = user ? room.enter(user) : () => {};
    const comments = setInterval(() => response.writableLength === 0 && response.write(':\n\n'), COMMENT_MS);
    room.on('news', tell);
    response.on('drain', tell);
    response.once('close', () => {
      streams -= 1;
      leave();
      clearInterval(comments);
      room.off('news', tell);
    });
    response.write(`event: room\ndata: ${JSON.stringify({ room: room.name, last: room.last })}\n\n`);
    tell();
  });
  // #endregion chat.events

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
