import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import express from 'express';

const app = express().disable('x-powered-by').disable('etag');
app.post('/uploads', async (request, response) => {
  await pipeline(request, createWriteStream(`${process.env.UPLOAD_DIR}/copy`));
  response.status(201).end();
});
const server = app.listen(Number(process.env.PORT), process.env.HOST);
process.once('SIGTERM', () => server.close(() => process.exit(0)).closeAllConnections());
