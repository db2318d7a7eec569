import type { DefaultEventsMap, Server, Socket } from 'socket.io';
import type { Message } from './message.ts';

type Answer<Success> = (answer: Success | { ok: false; error: string }) => void;

export interface ClientToServerEvents {
  join: (user: string, answer: Answer<{ room: string; ok: true; last: number }>) => void;
  message: (text: string, answer: Answer<{ ok: true; id: number }>) => void;
}

export interface ServerToClientEvents {
  joined: (who: { user: string }) => void;
  left: (who: { user: string }) => void;
  message: (message: Message) => void; // DELIVERY=each
  messages: (messages: Message[]) => void; // DELIVERY=batched
}

/** What the server knows of a socket that has joined: the name, and the newest message at that time. */
interface SocketData {
  user?: string;
  last: number;
}

export type ChatServer = Server<ClientToServerEvents, ServerToClientEvents, DefaultEventsMap, SocketData>;
export type ChatSocket = Socket<ClientToServerEvents, ServerToClientEvents, DefaultEventsMap, SocketData>;
