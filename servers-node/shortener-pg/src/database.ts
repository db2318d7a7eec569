import createError from 'http-errors';
import pg from 'pg';
import type { Logger } from 'pino';
import { PipelinedClients } from './pipelined-clients.ts';

/** What a pool and pipelined clients have in common. */
interface Connections {
  query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  end(): Promise<void>;
}

/** Connections to PostgreSQL. What fails because the database is away fails with status 503. */
export class Database {
  readonly #connections: Connections;
  readonly #logger: Logger;
  #away = false;

  // #region database.pool
  constructor(connectionString: string, queries: 'pooled' | 'pipelined', poolSize: number, logger: Logger) {
    this.#logger = logger;
    const config = {
      connectionString,
      application_name: 'shortener-pg',
      keepAlive: true,
      connectionTimeoutMillis: 4_500, // to connect, and to wait for a connection that is free
      statement_timeout: 4_000, // PostgreSQL gives up
      query_timeout: 4_500, // PostgreSQL says nothing at all
    };
    this.#connections =
      queries === 'pipelined'
        ? new PipelinedClients(config)
        : new pg.Pool({ ...config, max: poolSize, idleTimeoutMillis: 0 }); // connections are kept
    // A connection was lost, and is dropped already; without a listener the event would end the process.
    this.#connections.on('error', (error) => this.#reportAway(error));
  }
  // #endregion database.pool

  /** The rows of a prepared statement. */
  async query<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[] = []): Promise<Row[]> {
    try {
      const { rows } = await this.#connections.query<Row>({ name, text, values });
      this.#reportBack();
      return rows;
    } catch (error) {
      if (isBusy(error)) {
        throw createError(503, 'The database is busy.');
      }
      if (isAway(error)) {
        this.#reportAway(error);
        throw createError(503, 'The database is away.');
      }
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#connections.end();
  }

  #reportBack(): void {
    if (this.#away) {
      this.#away = false;
      this.#logger.info('PostgreSQL answers again');
    }
  }

  /** One line for an outage, however many requests meet it. */
  #reportAway({ message, code }: NodeJS.ErrnoException): void {
    if (!this.#away) {
      this.#away = true;
      this.#logger.warn(`PostgreSQL is away: ${message || code}`);
    }
  }
}

/** PostgreSQL has given up a statement, or no connection of the pool became free in time. */
export function isBusy(error: unknown): boolean {
  return error instanceof pg.DatabaseError
    ? error.code === '57014'
    : (error as Error).message === 'timeout exceeded when trying to connect';
}

/**
 * PostgreSQL refuses: connection (08), log-in (28), no such database (3D), resources (53), shutdown (57). Or the
 * connection fails: an error of the system, or one to which pg gives a text alone. All else is an error of ours.
 */
export function isAway(error: unknown): error is Error {
  if (error instanceof pg.DatabaseError) {
    return /^(08|28|3D|53|57)/.test(error.code ?? '');
  }
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  return /^E(?!RR_)[A-Z_]+$/.test(code) || /^Connection terminated|^Client (has|was)|time-?out/i.test(message);
}
