import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';

export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly uploadDir: string;
  readonly maxFileBytes: number;
  readonly maxRequestBytes: number;
}

// #region server.configure
/** What the environment says; throws one sentence if that is unusable. */
export function settingsFrom(env: NodeJS.ProcessEnv): Settings {
  const { HOST = '', PORT = '', UPLOAD_DIR = '', MAX_FILE_BYTES = '209715200', MAX_REQUEST_BYTES = '241172480' } = env;

  const port = /^[0-9]+$/.test(PORT) ? Number(PORT) : 0;
  if (port < 1 || port > 65535) {
    throw new Error('PORT must be an integer from 1 to 65535');
  }
  if (!isWritableFolder(UPLOAD_DIR)) {
    throw new Error('UPLOAD_DIR must be the absolute path of a folder that can be written to');
  }
  return {
    host: HOST || '127.0.0.1',
    port,
    uploadDir: UPLOAD_DIR,
    maxFileBytes: positive('MAX_FILE_BYTES', MAX_FILE_BYTES),
    maxRequestBytes: positive('MAX_REQUEST_BYTES', MAX_REQUEST_BYTES),
  };
}

function positive(name: string, text: string): number {
  const value = /^[1-9][0-9]*$/.test(text) ? Number(text) : 0;
  if (value === 0 || !Number.isSafeInteger(value)) {
    throw new Error(`${name} must be a positive integer`);
  }
  return value;
}

function isWritableFolder(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return isAbsolute(path) && statSync(path).isDirectory();
  } catch {
    return false;
  }
}
// #endregion server.configure
