import log4js from 'log4js';
import pino from 'pino';
import winston from 'winston';

const LAST_LINES_MS = 500;

export const LOGS = ['none', 'sync', 'async', 'winston', 'log4js'] as const;

export type Log = (result: object) => void;

// #region randoms.log
/** Where results go: one line each on standard output, or nowhere. */
export function openLog(kind: (typeof LOGS)[number]): Log {
  switch (kind) {
    case 'none':
      return () => {};
    case 'sync':
      return (result) => console.log(JSON.stringify(result)); // Node waits until the line is written
    case 'async': {
      // Pino writes later, and what is left when the process ends. If nobody reads, lines are dropped.
      let giveUp = Number.POSITIVE_INFINITY;
      process.prependOnceListener('exit', () => {
        giveUp = performance.now() + LAST_LINES_MS;
      });
      const logger = pino(
        pino.destination({
          dest: process.stdout.fd,
          sync: false,
          maxLength: 16 * 1024 * 1024,
          retryEAGAIN: () => performance.now() < giveUp || process.exit(), // a pipe is full
        }),
      );
      return (result) => logger.info({ result });
    }
    case 'winston': {
      const logger = winston.createLogger({ transports: [new winston.transports.Console()] });
      return (result) => logger.info('result', { result });
    }
    case 'log4js': {
      log4js.configure({
        appenders: { out: { type: 'stdout', layout: { type: 'basic' } } },
        categories: { default: { appenders: ['out'], level: 'info' } },
      });
      const logger = log4js.getLogger();
      return (result) => logger.info(JSON.stringify(result));
    }
  }
}
// #endregion randoms.log
