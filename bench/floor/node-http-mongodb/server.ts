import { createServer } from 'node:http';
import { MongoClient } from 'mongodb';

const client = new MongoClient(process.env.MONGODB_URL ?? '', {
  maxPoolSize: 10,
  serverSelectionTimeoutMS: 800,
  connectTimeoutMS: 5_000,
  waitQueueTimeoutMS: 5_000,
  socketTimeoutMS: 6_000,
  heartbeatFrequencyMS: 1_000,
});
const links = client.db().collection<{ _id: string; url: string }>('links');

const server = createServer({ optimizeEmptyRequests: true }, async (request, response) => {
  const hash = (request.url as string).slice(1);
  const link = await links.findOne({ _id: hash }, { maxTimeMS: 5_000 });
  response.writeHead(301, { Location: link?.url, 'Content-Length': 0 }).end();
});
server.listen(Number(process.env.PORT), process.env.HOST);
process.once('SIGTERM', () => server.close(() => process.exit(0)).closeAllConnections());
