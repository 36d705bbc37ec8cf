/**
 * A server with the least work that a download needs: one RSA signature in the thread pool, one SELECT 1, and a constant
 * body with the headers of a package. Its rate is the limit of this machine for packages of that size.
 */
import { createServer } from 'node:http';
import pg from 'pg';
import { signOnce } from './bare-signature.mjs';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
const body = Buffer.alloc(Number(process.env.BYTES), 'x');
const headers = JSON.parse(process.env.HEADERS);

const server = createServer(async (_request, response) => {
  await pool.query({ name: 'one', text: 'SELECT 1 AS one' });
  await signOnce();
  response.writeHead(200, headers).end(body);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send(`http://127.0.0.1:${port}/`);
});
process.once('SIGTERM', () => process.exit());
