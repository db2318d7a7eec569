export interface Settings {
  readonly host: string;
  readonly port: number;
}

// #region server.configure
/** What the environment says; throws one sentence if that is unusable. */
export function settingsFrom(env: NodeJS.ProcessEnv): Settings {
  const { HOST = '', PORT = '' } = env;

  const port = /^[0-9]+$/.test(PORT) ? Number(PORT) : 0;
  if (port < 1 || port > 65535) {
    throw new Error('PORT must be an integer from 1 to 65535');
  }
  return { host: HOST || '127.0.0.1', port };
}
// #endregion server.configure
