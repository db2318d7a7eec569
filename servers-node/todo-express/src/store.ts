import pg from 'pg';

declare global {
  // Not in TypeScript's library yet (ECMA-262's proposal-json-parse-with-source, in Node since 22).
  interface JSON {
    rawJSON(text: string): RawJSON;
  }
}

/** JSON.stringify writes its text as it is: a bigint keeps all its digits. */
interface RawJSON {
  readonly rawJSON: string;
}

export interface Content {
  title: string;
  completed: boolean;
}

export type Changes = Partial<Content>;

export interface Todo extends Content {
  id: RawJSON;
}

interface Row extends Content {
  id: string;
}

/** The database cannot do its work just now; trying again later makes sense. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

const PING = { name: 'ping', text: 'select 1' };
const LIST = {
  name: 'list',
  text: 'select id, title, completed from todos where id > $1 order by id limit $2',
};
const FIND = { name: 'find', text: 'select id, title, completed from todos where id = $1' };
const INSERT = {
  name: 'insert',
  text: 'insert into todos (title, completed) values ($1, $2) returning id, title, completed',
};
// One statement reads and writes, so that of two changes at the same time neither is lost.
const UPDATE = {
  name: 'update',
  text: `update todos set title = coalesce($2, title), completed = coalesce($3, completed) where id = $1
         returning id, title, completed`,
};
const DELETE = { name: 'delete', text: 'delete from todos where id = $1' };

// SQLSTATE classes that say "not now" rather than "never": connection exceptions, refused log-ins,
// no such database (yet), insufficient resources, operator intervention (shutdown, start-up, time-out).
const AWAY = /^(08|28|3D|53|57)/;

export class TodoStore {
  readonly #pool: pg.Pool;
  #away = false;

  // #region database.pool
  constructor(connectionString: string) {
    this.#pool = new pg.Pool({
      connectionString,
      application_name: 'todo-express',
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
    await this.#query(PING, []);
  }

  /** At most `limit` todos with ids greater than `after`, in ascending order. */
  async list(after: string, limit: number): Promise<Todo[]> {
    const { rows } = await this.#query<Row>(LIST, [after, limit]);
    return rows.map(todoOf);
  }

  async find(id: string): Promise<Todo | undefined> {
    const { rows } = await this.#query<Row>(FIND, [id]);
    return rows.map(todoOf)[0];
  }

  async insert({ title, completed }: Content): Promise<Todo> {
    const { rows } = await this.#query<Row>(INSERT, [title, completed]);
    return todoOf(rows[0] as Row);
  }

  /** Members that are not given stay as they are; undefined if there is no such todo. */
  async update(id: string, { title, completed }: Changes): Promise<Todo | undefined> {
    const { rows } = await this.#query<Row>(UPDATE, [id, title, completed]);
    return rows.map(todoOf)[0];
  }

  /** False if there is no such todo. */
  async delete(id: string): Promise<boolean> {
    const { rowCount } = await this.#query(DELETE, [id]);
    return rowCount === 1;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #query<R extends pg.QueryResultRow>(query: pg.QueryConfig, values: unknown[]): Promise<pg.QueryResult<R>> {
    try {
      const result = await this.#pool.query<R>({ ...query, values });
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

function todoOf({ id, title, completed }: Row): Todo {
  return { id: JSON.rawJSON(id), title, completed };
}
