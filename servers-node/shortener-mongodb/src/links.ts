import { type Collection, MongoServerError } from 'mongodb';
import type { Database } from './database.ts';
import { randomHash } from './link.ts';

const LIMITS = { maxTimeMS: 4_000 }; // MongoDB gives up
const DUPLICATE_KEY = 11_000;

/** The links in MongoDB. A link never changes. */
export class Links {
  readonly #database: Database;
  readonly #links: Collection<Link>;

  constructor(database: Database) {
    this.#database = database;
    this.#links = database.db.collection('links');
  }

  async ping(): Promise<void> {
    await this.#database.run(() => this.#database.db.command({ ping: 1 }));
  }

  /** The URL of a hash. What is no hash is not asked for. */
  async find(hash: string): Promise<string | undefined> {
    if (!/^[0-9A-Za-z]{6}$/.test(hash)) {
      return undefined;
    }
    const link = await this.#database.run(() => this.#links.findOne({ _id: hash }, LIMITS));
    return link?.url;
  }

  // #region shortener.create
  /** The new hash of a URL. If the hash is taken, nothing is stored, and the next one is tried. */
  async add(url: string): Promise<string> {
    const link = { _id: randomHash(), url };
    try {
      await this.#database.run(() => this.#links.insertOne(link, LIMITS));
      return link._id;
    } catch (error) {
      if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) {
        return this.add(url);
      }
      throw error;
    }
  }
  // #endregion shortener.create
}

interface Link {
  _id: string;
  url: string;
}
