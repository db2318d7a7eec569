import { destination, pino } from 'pino';
import type { LogKind } from './settings.ts';

export interface Log {
  write(result: object): void;
  /** All that was written is out when it returns. */
  close(): void;
}

// #region randoms.log
/** Where results go: one line each on standard output, or nowhere. */
export function openLog(kind: LogKind): Log {
  if (kind === 'sync') {
    // Standard output is a pipe, a file or a terminal: Node waits until the line is written.
    return { write: (result) => console.log(JSON.stringify(result)), close() {} };
  }
  if (kind === 'async') {
    const output = destination({ dest: 1, sync: false });
    const logger = pino(output);
    return { write: (result) => logger.info({ result }), close: () => output.flushSync() };
  }
  return { write() {}, close() {} };
}
// #endregion randoms.log
