export interface Settings {
  readonly host: string;
  readonly port: number;
  /** The size from which on bodies are compressed; infinite if none is. */
  readonly compressionMinBytes: number;
  readonly log: LogKind;
}

const LOG_KINDS = ['none', 'sync', 'async'] as const;
export type LogKind = (typeof LOG_KINDS)[number];

// #region server.configure
/** What the environment says; throws one sentence if that is unusable. */
export function settingsFrom(env: NodeJS.ProcessEnv): Settings {
  const { HOST = '', PORT = '', COMPRESSION = 'on', COMPRESSION_MIN_BYTES = '1024', LOG = 'none' } = env;

  const port = /^[0-9]+$/.test(PORT) ? Number(PORT) : 0;
  if (port < 1 || port > 65535) {
    throw new Error('PORT must be an integer from 1 to 65535');
  }
  if (COMPRESSION !== 'on' && COMPRESSION !== 'off') {
    throw new Error('COMPRESSION must be on or off');
  }
  if (!/^[0-9]+$/.test(COMPRESSION_MIN_BYTES)) {
    throw new Error('COMPRESSION_MIN_BYTES must be a non-negative integer');
  }
  const log = LOG_KINDS.find((kind) => kind === LOG);
  if (log === undefined) {
    throw new Error('LOG must be none, sync or async');
  }
  const compressionMinBytes = COMPRESSION === 'on' ? Number(COMPRESSION_MIN_BYTES) : Number.POSITIVE_INFINITY;
  return { host: HOST || '127.0.0.1', port, compressionMinBytes, log };
}
// #endregion server.configure
