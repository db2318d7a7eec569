import express from 'express';
import pg from 'pg';

const pool = new pg.Pool({
  connectionString: process.env.POSTGRES_URL,
  max: 10,
  idleTimeoutMillis: 0,
  keepAlive: true,
  connectionTimeoutMillis: 5_000,
  statement_timeout: 5_000,
  query_timeout: 6_000,
});
const find = { name: 'find', text: 'select id, title, completed from todos where id = $1' };

const app = express().disable('x-powered-by').disable('etag');
app.get('/todos/:id', async (request, response) => {
  const { rows } = await pool.query({ ...find, values: [request.params.id] });
  // The driver gives a bigint as a string.
  response.json({ ...rows[0], id: Number(rows[0].id) });
});
const server = app.listen(Number(process.env.PORT), process.env.HOST);
process.once('SIGTERM', () => server.close(() => process.exit(0)).closeAllConnections());
