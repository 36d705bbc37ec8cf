import type { ClientBase } from 'pg';

/**
 * The tables of graphile-worker that have no public interface. Only this file knows their names, and which columns the
 * service uses, so that an update of graphile-worker is checked in one place.
 */
export const queueTables = {
  jobs: 'graphile_worker._private_jobs',
  tasks: 'graphile_worker._private_tasks',
  queues: 'graphile_worker._private_job_queues',
  crontabs: 'graphile_worker._private_known_crontabs',
} as const;

/** The columns that our statements name. */
const columns: Readonly<Record<keyof typeof queueTables, readonly string[]>> = {
  jobs: [
    ...['id', 'task_id', 'job_queue_id', 'payload', 'priority', 'run_at', 'attempts', 'max_attempts', 'last_error'],
    ...['created_at', 'updated_at', 'key', 'locked_at', 'locked_by', 'flags', 'is_available'],
  ],
  tasks: ['id', 'identifier'],
  queues: ['id', 'locked_at', 'locked_by'],
  crontabs: ['identifier', 'known_since', 'last_execution'],
};

/** Checks that the tables have the columns. @throws Error that names the missing ones */
export async function checkQueueTables(client: Pick<ClientBase, 'query'>): Promise<void> {
  const { rows } = await client.query<{ column: string }>(
    `SELECT table_schema || '.' || table_name || '.' || column_name AS column FROM information_schema.columns
     WHERE table_schema = 'graphile_worker'`,
  );
  const present = new Set(rows.map(({ column }) => column));
  const names = Object.keys(columns) as (keyof typeof queueTables)[];
  const used = names.flatMap((name) => columns[name].map((column) => `${queueTables[name]}.${column}`));
  const missing = used.filter((column) => !present.has(column));
  if (missing.length === 0) return;
  throw new Error(
    `The queue has no ${missing.join(', ')}: this version of graphile-worker is not supported. Install the one that ` +
      '@passwright/database names in its dependencies.',
  );
}
