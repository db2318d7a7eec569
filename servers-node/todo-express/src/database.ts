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
  constructor(connectionString: string, logger: Logger) {
    this.#logger = logger;
    this.#pool = new pg.Pool({
      connectionString,
      application_name: 'todo-express',
      max: 10,
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
      this.#away = false;
      return rows;
    } catch (error) {
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

  /** One line for an outage, however many requests meet it. */
  #reportAway({ message, code }: NodeJS.ErrnoException): void {
    if (!this.#away) {
      this.#away = true;
      this.#logger.warn(`PostgreSQL is away: ${message || code}`);
    }
  }
}

/**
 * What is no answer of PostgreSQL is a connection that was refused, lost or too slow. Of its answers these classes say
 * "not now": connection (08), log-in (28), no such database (3D), resources (53), shutdown and time-out (57).
 */
function isAway(error: unknown): error is Error {
  return !(error instanceof pg.DatabaseError) || /^(08|28|3D|53|57)/.test(error.code ?? '');
}
