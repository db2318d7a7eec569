export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly mongodbUrl: string;
}

// #region server.configure
/** What the environment says; throws one sentence if that is unusable, without the URL: it may hold a password. */
export function settingsFrom(env: NodeJS.ProcessEnv): Settings {
  const { HOST = '', PORT = '', MONGODB_URL = '' } = env;

  const port = /^[0-9]+$/.test(PORT) ? Number(PORT) : 0;
  if (port < 1 || port > 65535) {
    throw new Error('PORT must be an integer from 1 to 65535');
  }
  // No more than the scheme is looked at: a URL with several hosts is one for the driver alone to read.
  if (!/^mongodb(\+srv)?:\/\/./.test(MONGODB_URL)) {
    throw new Error('MONGODB_URL must have the form mongodb://host:port/database');
  }
  return { host: HOST || '127.0.0.1', port, mongodbUrl: MONGODB_URL };
}
// #endregion server.configure
