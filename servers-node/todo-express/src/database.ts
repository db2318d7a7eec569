import createError from 'http-errors';
import pg from 'pg';
import type { Logger } from 'pino';

// pg reads a bigint as a string, since it may be above 2^53. Ids are not.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** A pool of connections to PostgreSQL. What fails because the database is away fails with status 503. */
export class Database {
  readonly #pool: pg.Pool;
  readonly #logger: Logger;
  #away = false;

  // #region database.pool
  constructor(connectionString: string, poolSize: number, logger: Logger) {
    this.#logger = logger;
    this.#pool = new pg.Pool({
      connectionString,
      application_name: 'todo-express',
      max: poolSize,
      idleTimeoutMillis: 0, // connections are kept
      keepAlive: true,
      connectionTimeoutMillis: 4_500, // to connect, and to wait for a connection that is free
      statement_timeout: 4_000, // PostgreSQL gives up
      query_timeout: 4_500, // PostgreSQL says nothing at all
    });
    // An idle connection was lost. The pool has dropped it; without a listener the event would end the process.
    this.#pool.on('error', (error) => this.#reportAway(error));
  }
  // #endregion database.pool

  /** The rows of a prepared statement. */
  async query<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[] = []): Promise<Row[]> {
    try {
      const { rows } = await this.#pool.query<Row>({ name, text, values });
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
    await this.#pool.end();
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
  return /^E(?!RR_)[A-Z_]+$/.test(code) || /^Connection terminated|^Client has|time-?out/i.test(message);
}
