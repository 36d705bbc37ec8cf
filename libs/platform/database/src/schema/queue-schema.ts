import { runMigrations } from 'graphile-worker';
import { type ClientBase, Pool } from 'pg';
import { checkQueueTables, type QueueTables, queueTables } from './queue-tables.js';
import { queueClient } from './schema-client.js';

/** Brings the queue's own tables up to date. Transactions add their jobs to these tables. */
export async function updateQueue(url: string, client: ClientBase, schema: string | null): Promise<void> {
  const queue = queueTables(schema);
  // These connections have no statement timeout, even if the role sets one, because a migration may take long.
  const pool = new Pool({ connectionString: url, max: 2, Client: queueClient(schema) });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  await runMigrations({ pgPool: pool, schema: queue.schema }).finally(() => pool.end());
  await checkQueueTables(client, queue);
  await addIndexes(client, queue);
}

/**
 * Adds indexes that graphile-worker's schema lacks: one to find running and failed jobs, and one to find the waiting
 * jobs of a task. Does nothing if they exist.
 */
async function addIndexes(client: ClientBase, { jobs }: QueueTables): Promise<void> {
  await client.query(
    `CREATE INDEX IF NOT EXISTS passwright_not_available_idx ON ${jobs} (locked_by, task_id) WHERE NOT is_available`,
  );
  await client.query(
    `CREATE INDEX IF NOT EXISTS passwright_waiting_idx ON ${jobs} (task_id, run_at) WHERE is_available`,
  );
}
