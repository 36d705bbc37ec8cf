import type { Client } from 'pg';
import { connect } from './connect.js';

/**
 * Connects the servers of a Citus cluster in one database. Afterwards, migrations can run on the coordinator.
 * @param urls the addresses of the database, first on the coordinator and then on each worker
 */
export async function connectServers(urls: readonly string[]): Promise<void> {
  for (const url of urls) await run(url, (client) => client.query('CREATE EXTENSION IF NOT EXISTS citus'));
  const [coordinator = '', ...workers] = urls;
  await run(coordinator, async (client) => {
    const at = (url: string) => [new URL(url).hostname, Number(new URL(url).port)];
    await client.query('SELECT citus_set_coordinator_host($1, $2)', at(coordinator));
    for (const url of workers) await client.query('SELECT citus_add_node($1, $2)', at(url));
  });
}

async function run<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(url, 'passwright test cluster');
  return work(client).finally(() => client.end());
}
