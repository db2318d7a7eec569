export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly postgresUrl: string;
}

// #region server.configure
/** What the environment says; throws one sentence if that is unusable, without the URL: it may hold a password. */
export function settingsFrom(env: NodeJS.ProcessEnv): Settings {
  const { HOST = '', PORT = '', POSTGRES_URL = '' } = env;

  const port = /^[0-9]+$/.test(PORT) ? Number(PORT) : 0;
  if (port < 1 || port > 65535) {
    throw new Error('PORT must be an integer from 1 to 65535');
  }
  const url = URL.parse(POSTGRES_URL);
  if (!url?.hostname || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new Error('POSTGRES_URL must have the form postgres://user[:password]@host:port/database');
  }
  return { host: HOST || '127.0.0.1', port, postgresUrl: POSTGRES_URL };
}
// #endregion server.configure
