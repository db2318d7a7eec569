export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly renderInline: boolean;
}

// #region server.configure
/** What the environment says; throws one sentence if that is unusable. */
export function settingsFrom(env: NodeJS.ProcessEnv): Settings {
  const { HOST = '', PORT = '', RENDER_INLINE = '0' } = env;

  const port = /^[0-9]+$/.test(PORT) ? Number(PORT) : 0;
  if (port < 1 || port > 65535) {
    throw new Error('PORT must be an integer from 1 to 65535');
  }
  if (RENDER_INLINE !== '0' && RENDER_INLINE !== '1') {
    throw new Error('RENDER_INLINE must be 0 or 1');
  }
  return { host: HOST || '127.0.0.1', port, renderInline: RENDER_INLINE === '1' };
}
// #endregion server.configure
