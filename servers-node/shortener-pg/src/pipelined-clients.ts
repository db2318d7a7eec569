import { EventEmitter } from 'node:events';
import pg from 'pg';

const CLIENTS = 4;

/**
 * A few clients that send each statement at once, without waiting for the answers to earlier ones. PostgreSQL answers
 * in order: a statement that waits keeps those behind it waiting. Reads and inserts of single rows do not wait.
 */
export class PipelinedClients extends EventEmitter {
  readonly #config: pg.ClientConfig;
  readonly #clients: (Promise<pg.Client> | undefined)[] = Array(CLIENTS).fill(undefined);
  #turn = 0;

  constructor(config: pg.ClientConfig) {
    super();
    this.#config = { ...config, pipeline: true };
  }

  async query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    this.#turn = (this.#turn + 1) % CLIENTS;
    const index = this.#turn;
    this.#clients[index] ??= this.#connect(index);
    const client = this.#clients[index];
    try {
      return await (await client).query<Row>(statement);
    } catch (error) {
      this.#retire(index, client); // whatever has failed, the next statement gets a new client
      throw error;
    }
  }

  async end(): Promise<void> {
    await Promise.allSettled(this.#clients.map(async (client) => (await client)?.end()));
  }

  #connect(index: number): Promise<pg.Client> {
    const client = new pg.Client(this.#config);
    const connected = client.connect();
    client.on('error', (error) => {
      this.#retire(index, connected);
      this.emit('error', error);
    });
    return connected;
  }

  #retire(index: number, client: Promise<pg.Client>): void {
    if (this.#clients[index] === client) {
      this.#clients[index] = undefined;
      client.then(
        (connected) => connected.end(), // after the answers to what it has sent
        () => undefined,
      );
    }
  }
}
