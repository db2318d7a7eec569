import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createApp } from './app.ts';
import { settingsFrom } from './settings.ts';
import { LinkStore } from './store.ts';

const ACCEPT_MS = 500;
const SWEEP_MS = 100;
const SILENCE_MS = 500;
const CUT_MS = 8_000;
const EXIT_MS = 9_000;

try {
  const { host, port, postgresUrl } = settingsFrom(process.env);
  const store = new LinkStore(postgresUrl);
  const server = createApp(store);
  stopOnSignal(server, store);
  server.listen(port, host);
  await once(server, 'listening');
} catch (error) {
  console.error(`cannot start: ${(error as Error).message}`);
  process.exit(1);
}

// #region server.stop
/** No new connections, requests in flight are finished, the pool is closed; then the process ends by itself. */
function stopOnSignal(server: Server, store: LinkStore): void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  let stopping = false;
  const stop = () => {
    if (stopping || !server.listening) {
      return;
    }
    stopping = true;
    // An answer to a request that still comes says `Connection: close`.
    server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false;
    });
    // Connections that still wait to be accepted would be reset by close(). A turn of the loop accepts one of them:
    // none waits once a turn has brought none.
    const acceptUntil = Date.now() + ACCEPT_MS;
    let brought = true;
    server.on('connection', () => {
      brought = true;
    });
    const closeOnceNoneWaits = () => {
      if (brought && Date.now() < acceptUntil) {
        brought = false;
        setImmediate(closeOnceNoneWaits);
      } else {
        server.close(() => store.close());
      }
    };
    setImmediate(closeOnceNoneWaits);
    // It ends the connections that are idle then. Left to us are those that become idle later,
    setInterval(() => server.closeIdleConnections(), SWEEP_MS).unref();
    // those that never said a word, which Node takes for busy,
    setTimeout(() => {
      for (const socket of sockets) {
        if (socket.bytesRead === 0) {
          socket.destroy();
        }
      }
    }, SILENCE_MS).unref();
    // and what does not come to an end.
    setTimeout(() => server.closeAllConnections(), CUT_MS).unref();
    setTimeout(() => process.exit(0), EXIT_MS).unref();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
// #endregion server.stop
