import pino from 'pino';
import { z } from 'zod';
import { createApp } from './app.ts';
import { LOGS, openLog } from './log.ts';
import { PiscinaDrawer } from './piscina-drawer.ts';
import { createHttpServer } from './server.ts';
import { ThreadDrawer } from './thread-drawer.ts';

const logger = pino(pino.destination(process.stderr.fd));

// #region server.configure
const Settings = z.object({
  HOST: z.string().nonempty().default('127.0.0.1'),
  PORT: z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(1).max(65_535)),
  COMPRESSION: z.enum(['on', 'off']).default('on'),
  COMPRESSION_MIN_BYTES: z.string().regex(/^\d+$/).default('1024').transform(Number),
  LOG: z.enum(LOGS).default('none'),
  POOL: z.enum(['piscina', 'worker-threads']).default('piscina'),
});

const settings = Settings.safeParse(process.env);
if (!settings.success) {
  logger.fatal(z.prettifyError(settings.error)); // with the name of the setting
  process.exit(1);
}
const { HOST, PORT, COMPRESSION, COMPRESSION_MIN_BYTES, LOG, POOL } = settings.data;
// #endregion server.configure

const drawer = POOL === 'piscina' ? new PiscinaDrawer() : new ThreadDrawer();
const minBytes = COMPRESSION === 'on' ? COMPRESSION_MIN_BYTES : undefined;

const server = createHttpServer(createApp(drawer, openLog(LOG), minBytes, logger));
server.once('error', (error) => {
  logger.fatal(error, `cannot listen on HOST ${HOST}, PORT ${PORT}`);
  process.exit(1);
});
server.listen(PORT, HOST, () => logger.info(`listening on ${HOST}, port ${PORT}`));

// #region server.stop
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
server.once('close', () => drawer.close()); // with both closed, nothing keeps the process

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
