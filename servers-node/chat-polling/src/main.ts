import pino from 'pino';
import { z } from 'zod';
import { createApp } from './app.ts';
import { Room } from './room.ts';
import { createHttpServer } from './server.ts';

const logger = pino(pino.destination(process.stderr.fd));

// #region server.configure
const Settings = z.object({
  HOST: z.string().nonempty().default('127.0.0.1'),
  PORT: z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(1).max(65_535)),
});

const settings = Settings.safeParse(process.env);
if (!settings.success) {
  logger.fatal(z.prettifyError(settings.error)); // it names the setting
  process.exit(1);
}
const { HOST, PORT } = settings.data;
// #endregion server.configure

const room = new Room();
const server = createHttpServer(createApp(room, logger));
server.once('error', (error) => {
  logger.fatal(error, `cannot listen on HOST ${HOST}, PORT ${PORT}`);
  process.exit(1);
});
server.listen(PORT, HOST, () => logger.info(`listening on ${HOST}, port ${PORT}`));

// #region server.stop
process.on('SIGTERM', stop);
process.on('SIGINT', stop);

function stop(signal: NodeJS.Signals): void {
  logger.info(`stopping on ${signal}`);
  room.close(); // what waits for news is answered
  server.close(); // no new connections, no idle ones; requests in flight are answered,
  setInterval(() => server.closeIdleConnections(), 100).unref(); // after which their connections are idle too
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
  setTimeout(() => {
    logger.warn('9 s after the signal: the rest is cut');
    process.exit();
  }, 9_000).unref();
}
// #endregion server.stop
