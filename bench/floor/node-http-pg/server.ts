import { createServer } from 'node:http';
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
const find = { name: 'find', text: 'select url from links where hash = $1' };

const server = createServer({ optimizeEmptyRequests: true }, async (request, response) => {
  const hash = (request.url as string).slice(1);
  const { rows } = await pool.query<{ url: string }>({ ...find, values: [hash] });
  response.writeHead(301, { Location: rows[0].url, 'Content-Length': 0 }).end();
});
server.listen(Number(process.env.PORT), process.env.HOST);
process.once('SIGTERM', () => server.close(() => process.exit(0)).closeAllConnections());
