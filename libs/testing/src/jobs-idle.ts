import { setTimeout as pause } from 'node:timers/promises';
import { connect } from './connect.js';

const POLL_MS = 20;

interface Waiting {
  readonly task: string;
  readonly locked: boolean;
  readonly error: string | null;
}

/**
 * Waits until no job of a database is running or due. Later jobs, and failed ones that wait for a retry, do not count.
 * @param options.tasks considers only jobs of these tasks, because earlier tests of the file may have left others
 * behind
 * @param options.timeoutMs default: 20,000
 * @throws Error that names the remaining jobs when the time is over
 */
export async function jobsIdle(
  url: string,
  { tasks, timeoutMs = 20_000 }: { readonly tasks?: readonly string[]; readonly timeoutMs?: number } = {},
): Promise<void> {
  const client = await connect(url, 'passwright jobs idle');
  const deadline = performance.now() + timeoutMs;
  try {
    for (;;) {
      const { rows } = await client.query<Waiting>(
        `SELECT task.identifier AS task, job.locked_at IS NOT NULL AS locked, job.last_error AS error
           FROM graphile_worker._private_jobs job JOIN graphile_worker._private_tasks task ON task.id = job.task_id
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
