import cluster from 'node:cluster';
import type { Logger } from 'pino';

const RESTARTS_PER_MINUTE = 5;

/** The primary. It hands connections to workers in turn, and starts a new worker for one that ends. */
export function runWorkers(count: number, logger: Logger): void {
  let hasListened = false;
  let isStopping = false;
  let restarts = 0;

  cluster.fork();
  cluster.once('listening', () => {
    hasListened = true; // an address that cannot be used is told by one worker alone
    for (let started = 1; started < count && !isStopping; started += 1) {
      cluster.fork();
    }
  });

  cluster.on('exit', ({ id }, status, signal) => {
    if (isStopping) {
      return;
    }
    const end = `worker ${id} ended by ${signal ?? `status ${status}`}`;
    if (hasListened && restarts < RESTARTS_PER_MINUTE) {
      logger.error(`${end}: another one starts`);
      restarts += 1;
      setTimeout(() => {
        restarts -= 1;
      }, 60_000).unref();
      cluster.fork();
    } else {
      logger.fatal(`${end}: no other one starts, the server stops`);
      process.exitCode = 1;
      stop();
    }
  });

  // #region server.stop
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  /** Workers answer their requests and end. Then nothing keeps the primary. */
  function stop(): void {
    logger.info('stopping all workers');
    isStopping = true;
    signalWorkers('SIGTERM');
    setTimeout(() => {
      logger.warn('9.5 s after the signal: workers that still run are killed');
      signalWorkers('SIGKILL');
    }, 9_500).unref(); // a worker itself cuts the rest after 9 s
  }
  // #endregion server.stop
}

function signalWorkers(signal: NodeJS.Signals): void {
  for (const worker of Object.values(cluster.workers ?? {})) {
    worker?.kill(signal);
  }
}
