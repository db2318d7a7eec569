import { accessSync, constants, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import pino from 'pino';
import { z } from 'zod';
import { createApp } from './app.ts';
import { createHttpServer } from './server.ts';
import { UploadFolder } from './upload-folder.ts';

const logger = pino(pino.destination(process.stderr.fd));

// #region server.configure
const Digits = z.string().regex(/^\d+$/).transform(Number);
const Bytes = Digits.pipe(z.int().min(1));
const Settings = z.object({
  HOST: z.string().nonempty().default('127.0.0.1'),
  PORT: Digits.pipe(z.int().min(1).max(65_535)),
  UPLOAD_DIR: z.string().refine(isWritableFolder, 'must be the absolute path of a folder that can be written to'),
  MAX_FILE_BYTES: Bytes.default(209_715_200),
  MAX_REQUEST_BYTES: Bytes.default(241_172_480),
});

function isWritableFolder(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return isAbsolute(path) && statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const settings = Settings.safeParse(process.env);
if (!settings.success) {
  logger.fatal(z.prettifyError(settings.error)); // it names the setting
  process.exit(1);
}
const { HOST, PORT, UPLOAD_DIR, MAX_FILE_BYTES, MAX_REQUEST_BYTES } = settings.data;
// #endregion server.configure

const folder = new UploadFolder(UPLOAD_DIR);
const left = await folder.parts();

const limits = { maxFileBytes: MAX_FILE_BYTES, maxRequestBytes: MAX_REQUEST_BYTES };
const server = createHttpServer(createApp(folder, limits, logger));
server.once('error', (error) => {
  logger.fatal(error, `cannot listen on HOST ${HOST}, PORT ${PORT}`);
  process.exit(1);
});
server.listen(PORT, HOST, async () => {
  logger.info(`listening on ${HOST}, port ${PORT}`);
  // Not before: a second process on one port ends here, and what is being uploaded to the first one stays.
  await Promise.all(left.map((path) => rm(path, { force: true })));
});

// #region server.stop
process.on('SIGTERM', stop);
process.on('SIGINT', stop);

function stop(signal: NodeJS.Signals): void {
  logger.info(`stopping on ${signal}`);
  server.close(); // no new connections, no idle ones; requests in flight are answered,
  setInterval(() => server.closeIdleConnections(), 100).unref(); // after which their connections are idle too
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
  setTimeout(() => {
    logger.warn('8 s after the signal: the rest is cut');
    server.closeAllConnections(); // what came of their files is deleted, then nothing keeps the process
  }, 8_000).unref();
  setTimeout(() => process.exit(), 9_000).unref(); // but a connection that Node's HTTP server does not know
}
// #endregion server.stop
