import type { Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'socket.io';
import { type ServerOptions, WebSocketServer } from 'ws';
import { guard, RateLimit } from './guard.ts';
import type { Message, Room } from './room.ts';
import { isText, isUser, TEXT_RULE, USER_RULE } from './rules.ts';

interface FromClient {
  join: (...args: unknown[]) => void;
  message: (...args: unknown[]) => void;
}

interface ToClient {
  joined: (who: { user: string }) => void;
  left: (who: { user: string }) => void;
  message: (message: Message) => void;
}

type ToServer = Record<string, never>;

/** What is known of a socket: its user, once it has joined. */
interface Member {
  user?: string;
}

type ChatServer = Server<FromClient, ToClient, ToServer, Member>;
type ChatSocket = Socket<FromClient, ToClient, ToServer, Member>;

/** The sockets of those who have joined. */
const MEMBERS = 'members';

/** A client that takes no part in closing is waited for no longer than this; ws itself gives it 30 s. */
const CLOSING = { closeTimeout: 2_000 };

class WebSockets extends WebSocketServer {
  constructor(options: ServerOptions) {
    super({ ...options, ...CLOSING });
  }
}

/** The room over Socket.IO. */
export class Sockets {
  readonly #io: ChatServer;
  readonly #room: Room;
  readonly #rates = new WeakMap<object, RateLimit>();

  constructor(room: Room) {
    this.#room = room;
    this.#io = new Server({
      serveClient: false,
      pingInterval: 5_000,
      pingTimeout: 5_000,
      maxHttpBufferSize: 64 * 1024,
      connectTimeout: 10_000,
      httpCompression: false,
      wsEngine: WebSockets,
    });
    this.#io.on('connection', (socket) => this.#welcome(socket));
  }

  /** Takes over what begins with /socket.io/; all else stays with the listeners that the server has. */
  attach(server: HttpServer): void {
    this.#io.attach(server);
    this.#io.engine.on('connection', (connection) => {
      guard(connection);
      this.#rates.set(connection, new RateLimit());
    });
  }

  // #region chat.deliver
  /** To all who have joined; who sent it over a socket of its own knows it already. */
  deliver(message: Message, author?: ChatSocket): void {
    (author ?? this.#io).to(MEMBERS).emit('message', message);
  }
  // #endregion chat.deliver

  /** Closes all connections, and the HTTP server with them. */
  async close(): Promise<void> {
    await this.#io.close();
  }

  #welcome(socket: ChatSocket): void {
    const rate = this.#rates.get(socket.conn);
    socket.use((_event, next) => {
      if (rate?.allowsOneMore()) {
        next();
      } else {
        // After those that came before it and are still on their way through here.
        process.nextTick(() => socket.disconnect(true));
      }
    });
    socket.on(
      'join',
      answering((user) => this.#join(socket, user)),
    );
    socket.on(
      'message',
      answering((text) => this.#say(socket, text)),
    );
    socket.on('disconnect', (reason) => {
      const { user } = socket.data;
      if (user !== undefined) {
        this.#room.leave(user);
        // When all are sent away, nobody is left to be told.
        if (reason !== 'server shutting down') {
          this.#io.to(MEMBERS).emit('left', { user });
        }
      }
    });
  }

  #join(socket: ChatSocket, user: unknown): object {
    if (socket.data.user !== undefined) {
      return refusal('Already joined.');
    }
    if (!isUser(user)) {
      return refusal(USER_RULE);
    }
    if (!this.#room.join(user)) {
      return refusal('Name already taken.');
    }
    socket.data.user = user;
    socket.to(MEMBERS).emit('joined', { user });
    socket.join(MEMBERS);
    return { room: this.#room.name, ok: true, last: this.#room.last };
  }

  #say(socket: ChatSocket, text: unknown): object {
    const { user } = socket.data;
    if (user === undefined) {
      return refusal('Join first.');
    }
    if (!isText(text)) {
      return refusal(TEXT_RULE);
    }
    const message = this.#room.post(user, text);
    this.deliver(message, socket);
    return { ok: true, id: message.id };
  }
}

/** Of whatever a client sends, the first argument counts; the last is a function if it wants an answer. */
function answering(handle: (argument: unknown) => object): (...args: unknown[]) => void {
  return (...args) => {
    const answer = handle(args[0]);
    const acknowledge = args.at(-1);
    if (typeof acknowledge === 'function') {
      acknowledge(answer);
    }
  };
}

function refusal(error: string): object {
  return { ok: false, error };
}
