import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import express from 'express';

const app = express().disable('x-powered-by').disable('etag');
app.get('/', (_request, response) => {
  response.json({ status: 'ok' });
});
app.put('/', async (request, response) => {
  await pipeline(request, createWriteStream(`${process.env.UPLOAD_DIR}/copy`));
  response.status(204).end();
});
const server = app.listen(Number(process.env.PORT), process.env.HOST);
process.once('SIGTERM', () => server.close(() => process.exit(0)).closeAllConnections());
