import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { createApp } from './app.ts';
import { Room } from './room.ts';
import { settingsFrom } from './settings.ts';
import { Sockets } from './sockets.ts';

const ACCEPT_MS = 500;
const SWEEP_MS = 100;
const SILENCE_MS = 500;
const CUT_MS = 8_000;
const EXIT_MS = 9_000;

try {
  const { host, port } = settingsFrom(process.env);
  const room = new Room();
  const sockets = new Sockets(room);
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 20_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 75_000,
      // Asked to upgrade anything else, the server answers as if it had not been asked.
      shouldUpgradeCallback: ({ url = '' }) => url.startsWith('/socket.io/'),
    },
    createApp(room, sockets),
  );
  sockets.attach(server);
  server.setTimeout(30_000); // without a byte in either direction
  stopOnSignal(server, sockets);
  server.listen(port, host);
  await once(server, 'listening');
} catch (error) {
  console.error(`cannot start: ${(error as Error).message}`);
  process.exit(1);
}

// #region server.stop
/** No new connections, sockets are closed, requests in flight are finished; then the process ends. */
function stopOnSignal(server: Server, sockets: Sockets): void {
  const connections = new Set<Socket>();
  server.on('connection', (connection) => {
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
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
    const finish = async () => {
      await sockets.close();
      // Of a polling client that was between two polls a timer would be left.
      process.exit(0);
    };
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
        finish();
      }
    };
    setImmediate(closeOnceNoneWaits);
    // It ends the sockets, and the connections that are idle then. Left to us are those that become idle later,
    setInterval(() => server.closeIdleConnections(), SWEEP_MS).unref();
    // those that never said a word, which Node takes for busy,
    setTimeout(() => {
      for (const connection of connections) {
        if (connection.bytesRead === 0) {
          connection.destroy();
        }
      }
    }, SILENCE_MS).unref();
    // and what does not come to an end.
    setTimeout(() => {
      for (const connection of connections) {
        connection.destroy();
      }
    }, CUT_MS).unref();
    setTimeout(() => process.exit(0), EXIT_MS).unref();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
// #endregion server.stop
