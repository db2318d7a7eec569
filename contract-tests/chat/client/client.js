/*
 * The official client, driven by JSON lines: commands come on standard input, what happens goes to standard output.
 * It ends with its standard input.
 */
import { createInterface } from 'node:readline';
import { io } from 'socket.io-client';

const sockets = new Map();

const tell = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

function open(name, url, transports) {
  const socket = io(url, {
    transports,
    forceNew: true,
    reconnectionDelay: 100,
    reconnectionDelayMax: 200,
  });
  sockets.set(name, socket);
  socket.on('connect', () => {
    const { engine } = socket.io;
    tell({ name, is: 'connected', transport: engine.transport.name });
    engine.on('upgrade', (transport) => tell({ name, is: 'upgraded', transport: transport.name }));
  });
  socket.on('disconnect', (reason) => tell({ name, is: 'disconnected', reason }));
  socket.onAny((event, ...words) => tell({ name, is: 'told', event, words }));
}

for await (const line of createInterface({ input: process.stdin })) {
  const { name, number, does, url, transports, words } = JSON.parse(line);
  if (does === 'open') {
    open(name, url, transports);
  } else if (does === 'emit') {
    sockets.get(name).emit(...words, (answer) => tell({ name, is: 'answered', number, answer }));
  } else if (does === 'close') {
    sockets.get(name).disconnect();
  }
}
for (const socket of sockets.values()) {
  socket.disconnect();
}
