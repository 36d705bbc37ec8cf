/**
 * Answers HAProxy's health checks for a pair of database servers: 200 if a server is the leader and accepts writes.
 * Runs in its own thread, because the test blocks while it runs a program, and HAProxy treats a late response as a
 * failure.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import pg from 'pg';

const CHECK_MS = 1000;
/** The index of the leader. */
let leader = 0;

parentPort?.on('message', (next) => (leader = next));
parentPort?.postMessage(await Promise.all(workerData.map(startCheck)));

/** @returns the port of the new server */
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
