// Answers HAProxy's checks of a pair's servers as their managers do: 200 if the server is the leader and takes writes.
// Runs in a thread of its own: the test blocks while it runs a program, and HAProxy cuts off a server that is late.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import pg from 'pg';

const CHECK_MS = 1000;
/** The position of the leader. */
let leader = 0;

parentPort?.on('message', (next) => (leader = next));
parentPort?.postMessage(await Promise.all(workerData.map(startCheck)));

/** @returns the port */
async function startCheck(url, at) {
  const server = createServer((_, response) => {
    void isPrimary(url, at).then((is) => response.writeHead(is ? 200 : 503).end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}

async function isPrimary(url, at) {
  if (leader !== at) return false;
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CHECK_MS,
    query_timeout: CHECK_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query('SELECT pg_is_in_recovery() AS follows');
    return !rows[0].follows;
  } catch {
    return false;
  } finally {
    void client.end().catch(() => undefined);
  }
}
