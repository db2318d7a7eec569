import type { Database } from './database.ts';
import { randomHash } from './link.ts';

/** The links in PostgreSQL. A link never changes. */
export class Links {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async ping(): Promise<void> {
    await this.#database.query('ping', 'select 1');
  }

  /** The URL of a hash. What is no hash is not asked for: PostgreSQL takes no U+0000 in a text. */
  async find(hash: string): Promise<string | undefined> {
    if (!/^[0-9A-Za-z]{6}$/.test(hash)) {
      return undefined;
    }
    const [link] = await this.#database.query<{ url: string }>('find', 'select url from links where hash = $1', [hash]);
    return link?.url;
  }

  // #region shortener.create
  /** The new hash of a URL. If the hash is taken, nothing is stored, and the next one is tried. */
  async add(url: string): Promise<string> {
    const text = 'insert into links (hash, url) values ($1, $2) on conflict do nothing returning hash';
    const [link] = await this.#database.query<{ hash: string }>('insert', text, [randomHash(), url]);
    return link ? link.hash : this.add(url);
  }
  // #endregion shortener.create
}
