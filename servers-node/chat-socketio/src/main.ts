import pino from 'pino';
import { z } from 'zod';
import { createChatServer } from './server.ts';

const logger = pino(pino.destination(process.stderr.fd));

// #region server.configure
const Settings = z.object({
  HOST: z.string().nonempty().default('127.0.0.1'),
  PORT: z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(1).max(65_535)),
  DELIVERY: z.enum(['each', 'batched']).default('each'),
});

const settings = Settings.safeParse(process.env);
if (!settings.success) {
  logger.fatal(z.prettifyError(settings.error)); // the name of the setting
  process.exit(1);
}
const { HOST, PORT, DELIVERY } = settings.data;
// #endregion server.configure

const { server, io, delivery } = createChatServer(DELIVERY, logger);
server.once('error', (error) => {
  logger.fatal(error, `cannot listen on HOST ${HOST}, PORT ${PORT}`);
  process.exit(1);
});
server.listen(PORT, HOST, () => logger.info(`listening on ${HOST}, port ${PORT}`));

// #region server.stop
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
server.once('close', () => process.exit()); // Engine.IO may have a timer of 30 s for a client that polls

function stop(signal: NodeJS.Signals): void {
  logger.info(`stopping on ${signal}`);
  delivery.flush();
  io.close(); // closes sockets and server: no new connections, no idle ones; requests in flight are answered,
  setInterval(() => server.closeIdleConnections(), 100).unref(); // after which their connections are idle too
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
  setTimeout(() => {
    logger.warn('9 s after the signal: the rest is cut');
    process.exit();
  }, 9_000).unref();
}
// #endregion server.stop
