import type { Agent } from 'node:http';
import { io, type Socket } from 'socket.io-client';
import { type Client, Failed, type Listener, type Message } from './client.ts';
import { type CountingAgent, frameBytes } from './wire.ts';

/** An Engine.IO packet, as the library's events tell it; what is sent has a digit for its type before the data. */
interface Packet {
  type: string;
  data?: string;
}

// Socket.IO packets: 2 is an event and 3 an acknowledgement, both with the number that the client has given.
const SENT = /^2(\d+)\["message",/;
const ACKNOWLEDGED = /^3(\d+)\[/;
const MESSAGES = /^2\["messages?",/;

type Answer = { ok: true; id: number; last: number } | { ok: false; error: string };

/** The official Socket.IO client, over WebSocket alone. Messages come one by one (`message`) or as lists (`messages`). */
export class SocketClient implements Client {
  readonly #socket: Socket;
  readonly #agent: CountingAgent;
  readonly #user: string;
  readonly #timeout: number;
  /** Bytes of messages that are on their way, by the number of their acknowledgement. */
  readonly #onTheWay = new Map<string, number>();
  // Of packets that have come but not reached their listeners yet: the library hands them over later, in order.
  readonly #sends: number[] = [];
  readonly #receives: number[] = [];
  #left = false;

  /** `timeout` is in milliseconds. */
  constructor(url: URL, user: string, agent: CountingAgent, timeout: number, listener: Listener) {
    this.#user = user;
    this.#agent = agent;
    this.#timeout = timeout;
    this.#socket = io(url.origin, {
      transports: ['websocket'],
      // The types name what the library's own transports take; that over WebSocket hands it to ws.
      agent: agent as Agent as unknown as string,
      autoConnect: false,
      forceNew: true,
      reconnection: false,
    });
    // All of joining has its time, not only the opening of the connection.
    this.#socket.io.timeout(false);
    const received = (messages: Message[]) => listener.received(messages, this.#receives.shift() ?? 0);
    this.#socket.on('message', (message: Message) => received([message]));
    this.#socket.on('messages', received);
    this.#socket.on('disconnect', () => {
      if (!this.#left) {
        listener.lost();
      }
    });
  }

  async join(): Promise<number> {
    let late: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve, reject) => {
      this.#socket.once('connect', resolve);
      this.#socket.once('connect_error', (error) => reject(new Failed('connection', error.message)));
      // The server may close a connection, or say nothing more on it, that it has not let into the room yet.
      this.#socket.once('disconnect', (reason) => reject(new Failed('connection', reason)));
      late = setTimeout(() => reject(new Failed('timeout', 'not connected in time')), this.#timeout);
      this.#socket.io.once('open', () => this.#count());
      this.#socket.connect();
    }).finally(() => clearTimeout(late));
    return (await this.#emit('join', this.#user)).last;
  }

  async send(text: string): Promise<{ id: number; bytes: number }> {
    try {
      const { id } = await this.#emit('message', text);
      return { id, bytes: this.#sends.shift() ?? 0 };
    } catch (error) {
      if ((error as Failed).kind === 'refused') {
        this.#sends.shift();
      } else {
        // The one that waits longest: should its acknowledgement still come, nobody waits for it.
        this.#onTheWay.delete(this.#onTheWay.keys().next().value ?? '');
      }
      throw error;
    }
  }

  async leave(): Promise<void> {
    this.#left = true;
    this.#socket.disconnect();
    this.#agent.destroy();
  }

  /** Watches what goes over the wire: each packet is one frame. */
  #count(): void {
    const { engine } = this.#socket.io;
    engine.on('packetCreate', ({ data }: Packet) => {
      const number = SENT.exec(data ?? '')?.[1];
      if (number !== undefined) {
        this.#onTheWay.set(number, frameBytes(1 + Buffer.byteLength(data ?? ''), 'client'));
      }
    });
    engine.on('packet', ({ data = '' }: Packet) => {
      const bytes = frameBytes(1 + Buffer.byteLength(data), 'server');
      const number = ACKNOWLEDGED.exec(data)?.[1];
      if (number !== undefined) {
        const sent = this.#onTheWay.get(number);
        if (sent !== undefined) {
          this.#sends.push(sent + bytes);
          this.#onTheWay.delete(number);
        }
      } else if (MESSAGES.test(data)) {
        this.#receives.push(bytes);
      }
    });
  }

  async #emit(event: string, argument: string): Promise<Answer & { ok: true }> {
    let answer: Answer;
    try {
      answer = await this.#socket.timeout(this.#timeout).emitWithAck(event, argument);
    } catch (error) {
      throw new Failed(this.#socket.connected ? 'timeout' : 'connection', (error as Error).message);
    }
    if (!answer.ok) {
      throw new Failed('refused', answer.error);
    }
    return answer;
  }
}
