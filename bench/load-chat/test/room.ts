import { EventEmitter, once } from 'node:events';
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { Server } from 'socket.io';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Message } from '../src/client.ts';

/** What a room does wrong. */
export interface Faults {
  /** That is all it ever answers. */
  answers?: 'nothing' | 'its page';
  /** It closes every connection without letting anybody in. */
  turnsAway?: boolean;
  /** Every message is refused. */
  refuses?: boolean;
  /** No message is answered. */
  hangs?: boolean;
  /** The message with this id reaches nobody. */
  loses?: number;
  /** The message with this id reaches everybody twice. */
  repeats?: number;
  /** After this message every connection is closed. */
  closesAfter?: number;
}

/** A small chat server to try the users on: one room, with a transport of the chat's contract. */
export class Room {
  readonly transport: string;
  readonly messages: Message[] = [];
  /** Paths and names that were asked for. */
  readonly asked: string[] = [];
  readonly #faults: Faults;
  readonly #http: HttpServer;
  readonly #io: Server | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #news = new EventEmitter().setMaxListeners(0);
  readonly #members = new Set<WebSocket>();
  #batch: Message[] = [];
  #timer: NodeJS.Timeout | undefined;

  private constructor(transport: string, faults: Faults) {
    this.transport = transport;
    this.#faults = faults;
    this.#http = createServer(async (request, response) => {
      this.asked.push(request.url ?? '');
      if (request.url?.startsWith('/events') && this.#faults.answers === undefined) {
        this.#tell(request, response);
        return;
      }
      const { status, content } = await this.#answer(request);
      if (status !== 0) {
        response.writeHead(status).end(typeof content === 'string' ? content : JSON.stringify(content));
      }
    });
    this.#http.on('connection', (socket) => this.#sockets.add(socket));
    if (transport === 'websocket') {
      this.#serveWebSockets();
    } else if (transport !== 'polling') {
      this.#io = new Server(this.#http);
      this.#serveSockets(this.#io);
    }
  }

  static async open(transport: string, faults: Faults = {}): Promise<Room> {
    const room = new Room(transport, faults);
    await new Promise<void>((resolve) => room.#http.listen(0, '127.0.0.1', resolve));
    return room;
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`);
  }

  /** What has crossed all of its connections, both ways. */
  get bytes(): number {
    return [...this.#sockets].reduce((sum, socket) => sum + socket.bytesRead + socket.bytesWritten, 0);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#io?.close();
    this.#http.closeAllConnections();
    this.#http.close();
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; content?: unknown }> {
    const { pathname, searchParams } = new URL(request.url ?? '', this.url);
    if (this.#faults.answers === (pathname === '/' ? 'nothing' : 'its page')) {
      return { status: 0 };
    }
    if (pathname === '/') {
      return { status: 200, content: `<html data-transport="${this.transport}">` };
    }
    if (request.method === 'POST') {
      const { user, text } = (await json(request)) as Message;
      const { hangs, refuses } = this.#faults;
      return hangs ? { status: 0 } : refuses ? { status: 422 } : { status: 201, content: this.#take(user, text) };
    }
    const after = Number(searchParams.get('after'));
    if (!Number.isSafeInteger(after)) {
      return { status: 400 }; // beyond what the contract promises
    }
    const wait = Number(searchParams.get('wait'));
    if (wait > 0 && this.messages.length <= after) {
      await once(this.#news, 'message', { signal: AbortSignal.timeout(wait * 1000) }).catch(() => {});
    }
    const messages = this.messages.filter(({ id }) => id > after).flatMap((message) => this.#copies(message));
    return { status: 200, content: { messages, last: this.messages.length } };
  }

  /** Server-sent events. */
  #tell(request: IncomingMessage, response: ServerResponse): void {
    const after = Number(new URL(request.url ?? '', this.url).searchParams.get('after'));
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(': hello\n\nevent: room\ndata: {}\n\n');
    const tell = (message: Message) => {
      for (const copy of message.id > after ? this.#copies(message) : []) {
        response.write(`id: ${copy.id}\ndata: ${JSON.stringify(copy)}\n\n`);
      }
      if (message.id === this.#faults.closesAfter) {
        response.destroy();
      }
    };
    this.messages.forEach(tell);
    this.#news.on('message', tell);
    response.once('close', () => this.#news.off('message', tell));
  }

  #serveSockets(io: Server): void {
    if (this.#faults.answers === 'its page') {
      // Who never gets to the next one is not let in.
      io.use(() => {});
    }
    if (this.#faults.turnsAway) {
      io.use((socket) => socket.conn.close());
    }
    io.on('connection', (socket) => {
      let name = '';
      socket.on('join', (user, acknowledge) => {
        name = user;
        this.asked.push(user);
        socket.data.last = this.messages.length;
        acknowledge({ ok: true, last: this.messages.length });
      });
      socket.on('message', (text, acknowledge) => {
        if (this.#faults.refuses) {
          acknowledge({ ok: false, error: 'No.' });
        } else if (!this.#faults.hangs) {
          const message = this.#take(name, text);
          if (this.transport === 'socket.io') {
            for (const copy of this.#copies(message)) {
              socket.broadcast.emit('message', copy);
            }
          } else {
            this.#batch.push(...this.#copies(message));
          }
          acknowledge({ ok: true, id: message.id });
        }
      });
    });
    if (this.transport === 'socket.io-batched') {
      this.#timer = setInterval(() => {
        for (const socket of io.sockets.sockets.values()) {
          const fresh = this.#batch.filter(({ id }) => id > (socket.data.last ?? Infinity));
          if (fresh.length > 0) {
            socket.emit('messages', fresh);
          }
        }
        this.#batch = [];
      }, 50);
    }
  }

  #serveWebSockets(): void {
    const { answers, turnsAway, refuses, hangs } = this.#faults;
    const server = new WebSocketServer({ noServer: true });
    this.#http.on('upgrade', (request, socket, head) => {
      if (answers === 'its page') {
        return;
      }
      server.handleUpgrade(request, socket, head, (member) => {
        const name = new URL(request.url ?? '', this.url).searchParams.get('user') ?? '';
        this.asked.push(name);
        if (turnsAway) {
          member.close();
          return;
        }
        this.#members.add(member);
        member.send(JSON.stringify({ room: 'a', last: this.messages.length }));
        member.send('{"ping":true}');
        member.on('close', () => this.#members.delete(member));
        member.on('message', (data) => {
          const { text, pong } = JSON.parse(data.toString());
          if (pong || hangs) {
            return;
          }
          if (refuses) {
            member.send('{"error":"No."}');
            return;
          }
          const message = this.#take(name, text);
          for (const other of this.#members) {
            for (const copy of other === member ? [] : this.#copies(message)) {
              other.send(JSON.stringify(copy));
            }
          }
          member.send(JSON.stringify({ id: message.id }));
        });
      });
    });
  }

  #take(user: string, text: string): Message {
    const message = { id: this.messages.length + 1, user, text };
    this.messages.push(message);
    this.#news.emit('message', message);
    if (message.id === this.#faults.closesAfter) {
      setImmediate(() => {
        this.#io?.disconnectSockets(true);
        for (const member of this.#members) {
          member.terminate();
        }
      });
    }
    return message;
  }

  #copies(message: Message): Message[] {
    const { loses, repeats } = this.#faults;
    return message.id === loses ? [] : message.id === repeats ? [message, message] : [message];
  }
}
