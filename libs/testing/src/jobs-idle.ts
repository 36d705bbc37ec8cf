import { setTimeout as pause } from 'node:timers/promises';
import { connect } from './connect.js';

const POLL_MS = 20;

interface Waiting {
  readonly task: string;
  readonly locked: boolean;
  readonly error: string | null;
}

/** Options of `jobsIdle`. */
interface JobsIdleOptions {
  /** The tasks whose jobs count. Default: all. Set it if earlier tests may have left other jobs. */
  readonly tasks?: readonly string[];
  /** The schema of the service's tables. Default: the schema that the connection uses. */
  readonly schema?: string;
  /** The time limit in milliseconds. Default: 20,000. */
  readonly timeoutMs?: number;
}

/**
 * Waits until no job of a database is running or due. Jobs that are due later do not count, and neither do failed jobs.
 * @throws Error that names the remaining jobs when the time limit is reached
 */
export async function jobsIdle(
  url: string,
  { tasks, schema, timeoutMs = 20_000 }: JobsIdleOptions = {},
): Promise<void> {
  const queue = schema === undefined ? 'graphile_worker' : `${schema}_queue`;
  const client = await connect(url, 'passwright jobs idle');
  const deadline = performance.now() + timeoutMs;
  try {
    for (;;) {
      const { rows } = await client.query<Waiting>(
        `SELECT task.identifier AS task, job.locked_at IS NOT NULL AS locked, job.last_error AS error
           FROM ${queue}._private_jobs job JOIN ${queue}._private_tasks task ON task.id = job.task_id
          WHERE (job.locked_at IS NOT NULL OR (job.is_available AND job.run_at <= now()))
            AND ($1::text[] IS NULL OR task.identifier = ANY ($1))
          LIMIT 10`,
        [tasks ?? null],
      );
      if (rows.length === 0) return;
      if (performance.now() > deadline)
        throw new Error(`Jobs are left after ${timeoutMs} ms: ${rows.map(described).join(', ')}`);
      await pause(POLL_MS);
    }
  } finally {
    await client.end();
  }
}

function described({ task, locked, error }: Waiting): string {
  return `${task} (${locked ? 'running' : 'due'}${error ? `, failed before: ${error}` : ''})`;
}
