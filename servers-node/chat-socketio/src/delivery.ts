import type { ChatServer, ChatSocket } from './events.ts';
import type { Message } from './message.ts';

/** The Socket.IO room of those who have joined. A packet for a room is encoded once. */
export const MEMBERS = 'members';

const BATCH_MS = 500;

/** How new messages reach the members. */
export interface Delivery {
  /** The author is a member, or undefined for a message over HTTP. */
  deliver(message: Message, author?: ChatSocket): void;
  welcome(newcomer: ChatSocket): void;
  /** Sends what waits for its time. */
  flush(): void;
}

// #region chat.deliver
/** A message goes at once to all others: its author has the acknowledgement. */
export function each(io: ChatServer): Delivery {
  return {
    deliver: (message, author) => (author ?? io).to(MEMBERS).emit('message', message),
    welcome: (newcomer) => newcomer.join(MEMBERS),
    flush: () => {},
  };
}

/** What is new goes to all in one event, twice a second. */
export function batched(io: ChatServer): Delivery {
  let batch: Message[] = [];
  let newcomers: ChatSocket[] = []; // since the last batch: they know the beginning of this one

  const flush = () => {
    if (batch.length > 0) {
      io.to(MEMBERS)
        .except(newcomers.map(({ id }) => id))
        .emit('messages', batch);
      for (const newcomer of newcomers) {
        const unknown = batch.filter(({ id }) => id > newcomer.data.last);
        if (unknown.length > 0) {
          newcomer.emit('messages', unknown);
        }
      }
    }
    batch = [];
    newcomers = [];
  };
  setInterval(flush, BATCH_MS).unref();

  return {
    deliver: (message) => batch.push(message),
    welcome: (newcomer) => {
      newcomer.join(MEMBERS);
      newcomers.push(newcomer);
    },
    flush,
  };
}
// #endregion chat.deliver
