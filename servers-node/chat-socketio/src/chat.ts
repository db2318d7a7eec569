import type { Event } from 'socket.io';
import { limitEvents } from './connection-limits.ts';
import { type Delivery, MEMBERS } from './delivery.ts';
import type { ChatServer } from './events.ts';
import { TEXT_RULE, Text, USER_RULE, User } from './message.ts';
import type { Room } from './room.ts';

/** The chat over Socket.IO. */
export function serveChat(io: ChatServer, room: Room, delivery: Delivery): void {
  io.on('connection', (socket) => {
    socket.use(limitEvents(socket.conn));
    socket.use(completeArguments);
    // A middleware has refused an event, or a packet is malformed.
    socket.on('error', () => socket.disconnect(true));

    socket.on('join', (user, answer) => {
      if (socket.data.user !== undefined) {
        answer(refusal('Already joined.'));
      } else if (!User.safeParse(user).success) {
        answer(refusal(`user ${USER_RULE}`));
      } else if (!room.join(user)) {
        answer(refusal('Name already taken.'));
      } else {
        socket.data = { user, last: room.last };
        socket.to(MEMBERS).emit('joined', { user });
        delivery.welcome(socket);
        answer({ room: room.name, ok: true, last: room.last });
      }
    });

    socket.on('message', (text, answer) => {
      const { user } = socket.data;
      if (user === undefined) {
        answer(refusal('Join first.'));
      } else if (!Text.safeParse(text).success) {
        answer(refusal(`text ${TEXT_RULE}`));
      } else {
        const message = room.post(user, text);
        delivery.deliver(message, socket);
        answer({ ok: true, id: message.id });
      }
    });

    socket.on('disconnect', (reason) => {
      const { user } = socket.data;
      if (user !== undefined) {
        room.leave(user);
        // At a stop, a poll that brings this would not bring the end of the session.
        if (reason !== 'server shutting down') {
          io.to(MEMBERS).emit('left', { user });
        }
      }
    });
  });
}

/** Gives a handler its two arguments, whatever the client has sent: a value, and a function for the answer. */
function completeArguments(event: Event, next: () => void): void {
  const answer = event.at(-1);
  event.splice(1, event.length, event[1], typeof answer === 'function' ? answer : () => {});
  next();
}

function refusal(error: string): { ok: false; error: string } {
  return { ok: false, error };
}
