import { WebSocket } from 'ws';
import { type Client, Failed, type Listener, type Message } from './client.ts';
import { type CountingAgent, frameBytes } from './wire.ts';

/** To joining, the room's last id; to a message, its own. */
type Answer = { room: string; last: number } | { id: number } | { error: string };

interface Waiting {
  resolve(answer: { answer: Answer; bytes: number }): void;
  reject(error: Failed): void;
}

/** A bare WebSocket with JSON in its frames, whose answers come in the order of what was sent. */
export class WebSocketClient implements Client {
  readonly #url: URL;
  readonly #agent: CountingAgent;
  readonly #timeout: number;
  readonly #listener: Listener;
  readonly #waiting: Waiting[] = [];
  #socket: WebSocket | undefined;
  #joined = false;

  /** `timeout` is in milliseconds. */
  constructor(url: URL, user: string, agent: CountingAgent, timeout: number, listener: Listener) {
    this.#url = new URL(`/ws?user=${encodeURIComponent(user)}`, url.origin.replace(/^http/, 'ws'));
    this.#agent = agent;
    this.#timeout = timeout;
    this.#listener = listener;
  }

  async join(): Promise<number> {
    const socket = new WebSocket(this.#url, { agent: this.#agent, perMessageDeflate: false });
    this.#socket = socket;
    socket.on('message', (data) => this.#take(data.toString()));
    socket.on('error', (error) => this.#lose(error.message));
    socket.on('close', () => this.#lose('the connection was closed'));
    const { answer } = await this.#answered();
    this.#joined = true;
    return 'last' in answer ? answer.last : 0;
  }

  async send(text: string): Promise<{ id: number; bytes: number }> {
    if (this.#socket?.readyState !== WebSocket.OPEN) {
      throw new Failed('connection', 'there is none');
    }
    const frame = JSON.stringify({ text });
    this.#socket.send(frame);
    const { answer, bytes } = await this.#answered();
    return { id: 'id' in answer ? answer.id : 0, bytes: frameBytes(Buffer.byteLength(frame), 'client') + bytes };
  }

  async leave(): Promise<void> {
    this.#joined = false;
    this.#socket?.close();
    this.#agent.destroy();
  }

  /** The next answer that nobody waits for yet. Should it be late, nobody does; its turn is kept. */
  async #answered(): Promise<{ answer: Answer; bytes: number }> {
    let late: NodeJS.Timeout | undefined;
    const answered = await new Promise<{ answer: Answer; bytes: number }>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      late = setTimeout(() => reject(new Failed('timeout', 'no answer in time')), this.#timeout);
    }).finally(() => clearTimeout(late));
    if ('error' in answered.answer) {
      throw new Failed('refused', answered.answer.error);
    }
    return answered;
  }

  #take(data: string): void {
    const frame = JSON.parse(data);
    const bytes = frameBytes(Buffer.byteLength(data), 'server');
    if ('ping' in frame) {
      this.#socket?.send('{"pong":true}');
    } else if ('text' in frame) {
      this.#listener.received([frame as Message], bytes);
    } else if (!('joined' in frame || 'left' in frame)) {
      this.#waiting.shift()?.resolve({ answer: frame, bytes });
    }
  }

  #lose(why: string): void {
    for (const { reject } of this.#waiting.splice(0)) {
      reject(new Failed('connection', why));
    }
    if (this.#joined) {
      this.#joined = false;
      this.#listener.lost();
    }
  }
}
