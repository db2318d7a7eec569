import { type Collection, MongoClient, MongoServerError } from 'mongodb';

/** The database cannot do its work just now; trying again later makes sense. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

interface LinkDocument {
  readonly _id: string;
  readonly url: string;
}

const LIMITS = { maxTimeMS: 5_000 }; // MongoDB gives up

const DUPLICATE_KEY = 11000;

// Answers that say "not now" rather than "never": MaxTimeMSExpired, ShutdownInProgress, PrimarySteppedDown,
// NotWritablePrimary, InterruptedAtShutdown, InterruptedDueToReplStateChange, NotPrimaryNoSecondaryOk,
// NotPrimaryOrSecondary.
const AWAY = new Set<unknown>([50, 91, 189, 10107, 11600, 11602, 13435, 13436]);

export class LinkStore {
  readonly #client: MongoClient;
  readonly #links: Collection<LinkDocument>;
  #connected = false;
  #away = false;

  // #region database.pool
  constructor(url: string) {
    this.#client = new MongoClient(url, {
      appName: 'shortener-mongodb',
      maxPoolSize: 10, // connections are opened when first needed and then kept
      serverSelectionTimeoutMS: 800, // how long an operation waits for a server that is away
      // The others are for one that is slow, and for a machine that is busy.
      connectTimeoutMS: 5_000,
      waitQueueTimeoutMS: 5_000, // how long an operation waits until a connection is free
      socketTimeoutMS: 6_000, // MongoDB says nothing at all
      heartbeatFrequencyMS: 1_000,
    });
    this.#links = this.#client.db().collection('links');
  }
  // #endregion database.pool

  async ping(): Promise<void> {
    await this.#attempt(() => this.#client.db().command({ ping: 1 }));
  }

  async find(hash: string): Promise<string | undefined> {
    const link = await this.#attempt(() => this.#links.findOne({ _id: hash }, LIMITS));
    return link?.url;
  }

  /** False if the hash is taken: nothing is ever overwritten. */
  async insert(hash: string, url: string): Promise<boolean> {
    try {
      await this.#attempt(() => this.#links.insertOne({ _id: hash, url }, LIMITS));
      return true;
    } catch (error) {
      if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) {
        return false;
      }
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #attempt<Result>(operation: () => Promise<Result>): Promise<Result> {
    try {
      // The driver connects by itself, but never again after a first attempt that failed.
      if (!this.#connected) {
        await this.#client.connect();
        this.#connected = true;
      }
      const result = await operation();
      this.#away = false;
      return result;
    } catch (error) {
      // Anything but an answer from MongoDB is a connection that was refused, lost or too slow.
      if (error instanceof MongoServerError && !AWAY.has(error.code)) {
        throw error;
      }
      this.#reportAway(error as Error);
      throw new StoreUnavailable('MongoDB is away', { cause: error });
    }
  }

  /** One line per outage, not one per request. */
  #reportAway(error: Error): void {
    if (!this.#away) {
      this.#away = true;
      console.error(`MongoDB is away: ${error.message}`);
    }
  }
}
