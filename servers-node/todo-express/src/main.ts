import cluster from 'node:cluster';
import pino, { type Logger } from 'pino';
import { z } from 'zod';
import { createApp } from './app.ts';
import { runWorkers } from './cluster.ts';
import { Database } from './database.ts';
import { createHttpServer } from './server.ts';

const logger = pino(pino.destination(process.stderr.fd));

// #region server.configure
const upTo = (most: number) => z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(1).max(most));
const Settings = z.object({
  HOST: z.string().nonempty().default('127.0.0.1'),
  PORT: upTo(65_535),
  POOL_SIZE: upTo(100).default(10),
  WORKERS: upTo(64).default(1),
  POSTGRES_URL: z
    .url({ protocol: /^postgres(ql)?$/, hostname: /./ })
    .regex(/^\w+:\/\/[^/]+\/[^?]/, 'must name a database'),
});

const settings = Settings.safeParse(process.env);
if (!settings.success) {
  logger.fatal(z.prettifyError(settings.error)); // the name of the setting, without its value: that may hold a password
  process.exit(1);
}
const { HOST, PORT, POSTGRES_URL, POOL_SIZE, WORKERS } = settings.data;
// #endregion server.configure

if (WORKERS > 1 && cluster.isPrimary) {
  runWorkers(WORKERS, logger);
} else {
  serve(cluster.worker ? logger.child({ worker: cluster.worker.id }) : logger);
}

function serve(logger: Logger): void {
  const database = new Database(POSTGRES_URL, Math.ceil(POOL_SIZE / WORKERS), logger);

  const server = createHttpServer(createApp(database, logger));
  server.once('error', (error) => {
    logger.fatal(error, `cannot listen on HOST ${HOST}, PORT ${PORT}`);
    process.exit(1);
  });
  server.listen(PORT, HOST, () => logger.info(`listening on ${HOST}, port ${PORT}`));

  // #region server.stop
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  server.once('close', () => {
    database.close(); // with both closed, nothing keeps the process,
    cluster.worker?.disconnect(); // but for a worker's channel to its primary
  });

  function stop(signal: NodeJS.Signals): void {
    logger.info(`stopping on ${signal}`);
    server.close(); // no new connections, no idle ones; requests in flight are answered,
    setInterval(() => server.closeIdleConnections(), 100).unref(); // after which their connections are idle too
    server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
    setTimeout(() => {
      logger.warn('9 s after the signal: the rest is cut');
      process.exit();
    }, 9_000).unref();
  }
  // #endregion server.stop
}
