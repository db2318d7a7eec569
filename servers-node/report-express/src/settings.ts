export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly todoUrl: URL;
  readonly raytracerUrl: URL;
  readonly upstreamTimeoutMs: number;
}

/** The longest that Node's timers can wait: about 25 days. */
const LONGEST_MS = 2 ** 31 - 1;

// #region server.configure
/** What the environment says; throws one sentence if that is unusable. */
export function settingsFrom(env: NodeJS.ProcessEnv): Settings {
  const { HOST = '', PORT = '', UPSTREAM_TIMEOUT_MS = '60000' } = env;
  return {
    host: HOST || '127.0.0.1',
    port: integer('PORT', PORT, 65535),
    todoUrl: baseUrl('TODO_URL', env.TODO_URL),
    raytracerUrl: baseUrl('RAYTRACER_URL', env.RAYTRACER_URL),
    upstreamTimeoutMs: integer('UPSTREAM_TIMEOUT_MS', UPSTREAM_TIMEOUT_MS, LONGEST_MS),
  };
}

function integer(name: string, text: string, most: number): number {
  const value = /^[0-9]+$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) {
    throw new Error(`${name} must be an integer from 1 to ${most}`);
  }
  return value;
}

function baseUrl(name: string, text = ''): URL {
  const url = URL.parse(text);
  if (!url || !/^http:\/\/[^/?#@]+\/?$/i.test(text)) {
    throw new Error(`${name} must have the form http://host[:port]`);
  }
  return url;
}
// #endregion server.configure
