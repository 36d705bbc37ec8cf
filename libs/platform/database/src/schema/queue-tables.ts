import type { ClientBase } from 'pg';
import { jobsChannelOf } from './schema-client.js';
import { queueSchemaOf } from '../connections/schema-names.js';

/** The names in the queue's schema, as SQL writes them. */
export interface QueueTables {
  readonly schema: string;
  readonly jobs: string;
  readonly tasks: string;
  readonly queues: string;
  readonly crontabs: string;
  /** The two functions that add jobs. `jobSpec` is the parameter type of the second one. */
  readonly addJob: string;
  readonly addJobs: string;
  readonly jobSpec: string;
  /** The channel that announces new jobs. */
  readonly channel: string;
}

/**
 * Returns the names of graphile-worker's tables, which have no public interface. All uses of these names and columns
 * are in this file, so that an update of graphile-worker is checked in one place.
 * @param service the schema of the service's tables; null without a schema of their own
 */
export function queueTables(service: string | null): QueueTables {
  const schema = queueSchemaOf(service);
  return {
    schema,
    jobs: `${schema}._private_jobs`,
    tasks: `${schema}._private_tasks`,
    queues: `${schema}._private_job_queues`,
    crontabs: `${schema}._private_known_crontabs`,
    addJob: `${schema}.add_job`,
    addJobs: `${schema}.add_jobs`,
    jobSpec: `${schema}.job_spec`,
    channel: jobsChannelOf(service),
  };
}

type Table = 'jobs' | 'tasks' | 'queues' | 'crontabs';

/** The columns that our statements name. */
const columns: Readonly<Record<Table, readonly string[]>> = {
  jobs: [
    ...['id', 'task_id', 'job_queue_id', 'payload', 'priority', 'run_at', 'attempts', 'max_attempts', 'last_error'],
    ...['created_at', 'updated_at', 'key', 'locked_at', 'locked_by', 'flags', 'is_available'],
  ],
  tasks: ['id', 'identifier'],
  queues: ['id', 'locked_at', 'locked_by'],
  crontabs: ['identifier', 'known_since', 'last_execution'],
};

/** Checks that the tables have the columns. @throws Error that names the missing ones */
export async function checkQueueTables(client: Pick<ClientBase, 'query'>, queue: QueueTables): Promise<void> {
  const { rows } = await client.query<{ column: string }>(
    `SELECT table_schema || '.' || table_name || '.' || column_name AS column FROM information_schema.columns
     WHERE table_schema = $1`,
    [queue.schema],
  );
  const present = new Set(rows.map(({ column }) => column));
  const names = Object.keys(columns) as Table[];
  const used = names.flatMap((name) => columns[name].map((column) => `${queue[name]}.${column}`));
  const missing = used.filter((column) => !present.has(column));
  if (missing.length === 0) return;
  throw new Error(
    `The queue has no ${missing.join(', ')}: this version of graphile-worker is not supported. Install the version that ` +
      '@passwright/database names in its dependencies.',
  );
}
