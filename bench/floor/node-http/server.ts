import { createServer } from 'node:http';

const body = '{"status":"ok"}';
const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };

const server = createServer({ optimizeEmptyRequests: true }, (_request, response) => {
  response.writeHead(200, headers).end(body);
});
server.listen(Number(process.env.PORT), process.env.HOST);
process.once('SIGTERM', () => server.close(() => process.exit(0)).closeAllConnections());
