import { createServer } from 'node:http';
import pino from 'pino';
import { z } from 'zod';
import { createApp } from './app.ts';
import { Database } from './database.ts';
import { refuseInTurn } from './pipelining.ts';

const logger = pino(pino.destination(process.stderr.fd));

// #region server.configure
const Settings = z.object({
  HOST: z.string().nonempty().default('127.0.0.1'),
  PORT: z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(1).max(65_535)),
  POSTGRES_URL: z.url({ protocol: /^postgres(ql)?$/, hostname: /./ }),
});

const settings = Settings.safeParse(process.env);
if (!settings.success) {
  logger.fatal(z.prettifyError(settings.error)); // the name of the setting, without its value: that may hold a password
  process.exit(1);
}
const { HOST, PORT, POSTGRES_URL } = settings.data;
// #endregion server.configure

const database = new Database(POSTGRES_URL, logger);

const server = createServer(
  {
    headersTimeout: 10_000,
    requestTimeout: 20_000, // head and body
    connectionsCheckingInterval: 2_000, // how often Node looks for them
    keepAliveTimeout: 75_000,
  },
  createApp(database, logger),
);
server.on('clientError', refuseInTurn);
server.setTimeout(20_000); // for a client that does not read its answer
server.maxConnections = 5_000;

server.once('error', (error) => {
  logger.fatal(error, `cannot listen on HOST ${HOST}, PORT ${PORT}`);
  process.exit(1);
});
server.listen(PORT, HOST);

// #region server.stop
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
server.once('close', () => database.close()); // with both closed, nothing keeps the process

function stop(): void {
  server.close(); // no new connections, no idle ones; requests in flight are answered,
  setInterval(() => server.closeIdleConnections(), 100).unref(); // after which their connections are idle too
  setTimeout(() => process.exit(), 9_000).unref(); // the rest is cut
}
// #endregion server.stop
