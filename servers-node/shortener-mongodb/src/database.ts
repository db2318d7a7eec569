import createError from 'http-errors';
import {
  type Db,
  MongoAPIError,
  MongoClient,
  MongoClientClosedError,
  MongoError,
  MongoServerError,
  MongoTopologyClosedError,
} from 'mongodb';
import type { Logger } from 'pino';

/** Whether the driver can read a URL. It may name several hosts, which no other parser knows. */
export function isMongodbUrl(url: string): boolean {
  try {
    return Boolean(new MongoClient(url));
  } catch {
    return false;
  }
}

/** The driver's time-outs end every heartbeat in less. */
const MAX_HEARTBEAT_MS = 6_000;

/** Connections to MongoDB. What fails because the database is away fails with status 503. */
export class Database {
  readonly db: Db;
  readonly #client: MongoClient;
  readonly #logger: Logger;
  readonly #heartbeats = new Map<string, NodeJS.Timeout>();
  #away = false;

  // #region database.pool
  constructor(url: string, poolSize: number, logger: Logger) {
    this.#logger = logger;
    this.#client = new MongoClient(url, {
      appName: 'shortener-mongodb',
      maxPoolSize: poolSize, // connections are opened when first needed, and kept
      waitQueueTimeoutMS: 4_500, // to wait for a connection that is free
      connectTimeoutMS: 4_500,
      socketTimeoutMS: 4_500, // MongoDB says nothing at all
      serverSelectionTimeoutMS: 2_000, // to wait for a server that is away
      heartbeatFrequencyMS: 1_000, // how often the driver looks for it
    });
    this.db = this.#client.db();
    this.#watchHeartbeats();
  }
  // #endregion database.pool

  async run<Result>(operation: () => Promise<Result>): Promise<Result> {
    try {
      // Does nothing if it is connected. The driver's own first attempt is not made again if it fails.
      await this.#client.connect();
      const result = await operation();
      this.#reportBack();
      return result;
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
    for (const timer of this.#heartbeats.values()) {
      clearTimeout(timer);
    }
    await this.#client.close();
  }

  /**
   * A heartbeat never ends if the driver begins it while its connection is closing: it waits for the socket to drain.
   * It then does not look for MongoDB any more. A closed client begins anew with its next operation.
   */
  #watchHeartbeats(): void {
    const ended = ({ connectionId }: { connectionId: string }) => clearTimeout(this.#heartbeats.get(connectionId));
    this.#client.on('serverHeartbeatSucceeded', ended);
    this.#client.on('serverHeartbeatFailed', ended);
    this.#client.on('serverHeartbeatStarted', ({ connectionId }) => {
      const beginAnew = () => {
        this.#logger.warn(`a heartbeat of ${connectionId} does not end: all connections are made anew`);
        this.#client.close().catch((error) => this.#logger.error(error));
      };
      clearTimeout(this.#heartbeats.get(connectionId));
      this.#heartbeats.set(connectionId, setTimeout(beginAnew, MAX_HEARTBEAT_MS).unref());
    });
  }

  #reportBack(): void {
    if (this.#away) {
      this.#away = false;
      this.#logger.info('MongoDB answers again');
    }
  }

  /** One line for an outage, however many requests meet it. */
  #reportAway({ message }: Error): void {
    if (!this.#away) {
      this.#away = true;
      this.#logger.warn(`MongoDB is away: ${message}`);
    }
  }
}

const MAX_TIME_EXPIRED = 50;

/** MongoDB has given up an operation, or no connection of the pool became free in time. */
export function isBusy(error: unknown): boolean {
  return error instanceof MongoServerError
    ? error.code === MAX_TIME_EXPIRED
    : error instanceof MongoError && error.name === 'MongoWaitQueueTimeoutError'; // the driver does not export the class
}

/**
 * MongoDB answers that it cannot serve now: HostUnreachable, HostNotFound, NetworkTimeout, ShutdownInProgress,
 * ReadConcernMajorityNotAvailableYet, PrimarySteppedDown, ExceededTimeLimit, SocketException, NotWritablePrimary,
 * InterruptedAtShutdown, InterruptedDueToReplStateChange, NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary. The driver
 * calls these retryable. Or it refuses the log-in: AuthenticationFailed (18).
 */
const NOT_NOW = new Set<unknown>([6, 7, 89, 91, 134, 189, 262, 9_001, 10_107, 11_600, 11_602, 13_435, 13_436, 18]);

/**
 * MongoDB refuses for now, the driver cannot reach it, its client has been closed to begin anew, or a system call on its
 * connection fails, which the driver passes on as it is. All else, such as a wrong use of the driver, is an error of ours.
 */
export function isAway(error: unknown): error is Error {
  if (error instanceof MongoServerError) {
    return NOT_NOW.has(error.code);
  }
  if (error instanceof MongoTopologyClosedError || error instanceof MongoClientClosedError) {
    return true;
  }
  if (error instanceof MongoError) {
    return !(error instanceof MongoAPIError);
  }
  return /^E(?!RR_)[A-Z_]+$/.test((error as NodeJS.ErrnoException).code ?? '');
}
