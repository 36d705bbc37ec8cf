import { setTimeout as pause } from 'node:timers/promises';
import { connect } from './test-server.js';

const POLL_MS = 20;

interface Waiting {
  readonly task: string;
  readonly locked: boolean;
  readonly error: string | null;
}

/**
 * Waits until the queue of a database is at rest: no job is running, and none is due. Jobs for later do not count, nor do
 * failed ones that wait for their next attempt.
 * @param options.tasks look at jobs of these alone: specs of one worker share a database, where jobs that nobody runs may lie
 * @param options.timeoutMs default 10,000
 * @throws when it does not come to rest in time, naming the jobs left
 */
export async function jobsIdle(
  url: string,
  { tasks, timeoutMs = 10_000 }: { readonly tasks?: readonly string[]; readonly timeoutMs?: number } = {},
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
