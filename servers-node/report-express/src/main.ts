import pino from 'pino';
import { z } from 'zod';
import { createApp } from './app.ts';
import { createHttpServer } from './server.ts';
import { Upstream } from './upstream.ts';

const logger = pino(pino.destination(process.stderr.fd));

// #region server.configure
const Digits = z.string().regex(/^\d+$/).transform(Number);
const Origin = z
  .url({ protocol: /^http$/, hostname: /./ })
  .regex(/^http:\/\/[^/?#@]+\/?$/i, 'must have the form http://host[:port]');
const MAX_TIMEOUT_MS = 0x7fff_ffff - 60_000; // the longest of Node's timers, less what server.ts adds
const Settings = z.object({
  HOST: z.string().nonempty().default('127.0.0.1'),
  PORT: Digits.pipe(z.int().min(1).max(65_535)),
  TODO_URL: Origin,
  RAYTRACER_URL: Origin,
  UPSTREAM_TIMEOUT_MS: Digits.pipe(z.int().min(1).max(MAX_TIMEOUT_MS)).default(60_000),
});

const settings = Settings.safeParse(process.env);
if (!settings.success) {
  logger.fatal(z.prettifyError(settings.error)); // it names the setting
  process.exit(1);
}
const { HOST, PORT, TODO_URL, RAYTRACER_URL, UPSTREAM_TIMEOUT_MS } = settings.data;
// #endregion server.configure

const todos = new URL('/todos?limit=100', TODO_URL);
const picture = new URL('/render?width=320&height=240&depth=3', RAYTRACER_URL);
const sources = {
  todo: new Upstream(todos, 'application/json', 1_048_576, logger),
  raytracer: new Upstream(picture, 'image/png', 16_777_216, logger),
  timeoutMs: UPSTREAM_TIMEOUT_MS,
};

const server = createHttpServer(createApp(sources, logger), UPSTREAM_TIMEOUT_MS);
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
  server.close(); // no new connections, no idle ones; requests in flight are answered,
  setInterval(() => server.closeIdleConnections(), 100).unref(); // after which their connections are idle too
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
  setTimeout(() => {
    logger.warn('9 s after the signal: the rest is cut');
    process.exit();
  }, 9_000).unref();
}
// #endregion server.stop
