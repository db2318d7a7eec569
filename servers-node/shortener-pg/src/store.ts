import pg from 'pg';

/** The database cannot do its work just now; trying again later makes sense. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

const PING = { name: 'ping', text: 'select 1' };
const FIND = { name: 'find', text: 'select url from links where hash = $1' };
const INSERT = { name: 'insert', text: 'insert into links (hash, url) values ($1, $2) on conflict do nothing' };

// SQLSTATE classes that say "not now" rather than "never": connection exceptions, refused log-ins,
// no such database (yet), insufficient resources, operator intervention (shutdown, start-up, time-out).
const AWAY = /^(08|28|3D|53|57)/;

export class LinkStore {
  readonly #pool: pg.Pool;
  #away = false;

  // #region database.pool
  constructor(connectionString: string) {
    this.#pool = new pg.Pool({
      connectionString,
      application_name: 'shortener-pg',
      max: 10,
      idleTimeoutMillis: 0, // connections are opened when first needed and then kept
      keepAlive: true,
      // A database that is away refuses or closes connections, and is known at once: these limits are for one that is
      // slow, and for a machine that is busy.
      connectionTimeoutMillis: 5_000, // for a new connection, and for waiting until one is free
      statement_timeout: 5_000, // PostgreSQL gives up
      query_timeout: 6_000, // PostgreSQL says nothing at all
    });
    // An idle connection was lost. The pool has dropped it and opens another when one is needed.
    this.#pool.on('error', (error) => this.#reportAway(error));
  }
  // #endregion database.pool

  async ping(): Promise<void> {
    await this.#query(PING);
  }

  async find(hash: string): Promise<string | undefined> {
    const { rows } = await this.#query<{ url: string }>({ ...FIND, values: [hash] });
    return rows[0]?.url;
  }

  /** False if the hash is taken: nothing is ever overwritten. */
  async insert(hash: string, url: string): Promise<boolean> {
    const { rowCount } = await this.#query({ ...INSERT, values: [hash, url] });
    return rowCount === 1;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #query<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    try {
      const result = await this.#pool.query<Row>(query);
      this.#away = false;
      return result;
    } catch (error) {
      // Anything but an answer from PostgreSQL is a connection that was refused, lost or too slow.
      if (error instanceof pg.DatabaseError && !AWAY.test(error.code ?? '')) {
        throw error;
      }
      this.#reportAway(error as Error);
      throw new StoreUnavailable('PostgreSQL is away', { cause: error });
    }
  }

  /** One line per outage, not one per request. */
  #reportAway(error: Error): void {
    if (!this.#away) {
      this.#away = true;
      console.error(`PostgreSQL is away: ${error.message || error}`);
    }
  }
}
