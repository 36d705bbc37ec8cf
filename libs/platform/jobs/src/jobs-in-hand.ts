import type { Logger } from '@nestjs/common';
import { loggedError } from '@passwright/core';
import type { WorkerEvents } from 'graphile-worker';
import type { ClientBase, Pool } from 'pg';
import type { StoppedWorkers } from './stopped-workers.js';

/** After a stop, a job that ignores it runs elsewhere after this time at the earliest. */
const STILL_RUNNING_S = 10;

/** Knows the jobs whose end the database may not know yet, and gives them back when the process stops. */
export class JobsInHand {
  /** The worker of each job. */
  private readonly begun = new Map<string, string>();
  private readonly ended = new Set<string>();
  /** Jobs that ended early because of the stop. */
  private readonly unfinished = new Set<string>();

  constructor(
    private readonly pool: Pool,
    private readonly stopped: StoppedWorkers,
    private readonly logger: Logger,
  ) {}

  watch(events: WorkerEvents): void {
    events.on('job:start', ({ job, worker }) => {
      this.ended.delete(job.id);
      this.begun.set(job.id, worker.workerPool.id);
    });
    events.on('job:complete', ({ job }) => this.ended.add(job.id));
  }

  /** Forgets the jobs whose end the database knows. */
  async confirm(client: ClientBase): Promise<void> {
    if (this.ended.size === 0) return;
    const { rows } = await client.query<{ id: string }>({
      name: 'ended-jobs',
      text: 'SELECT id FROM graphile_worker._private_jobs WHERE id = ANY ($1::bigint[]) AND locked_by = ANY ($2)',
      values: [[...this.ended], this.workerIds()],
    });
    const unknown = new Set(rows.map(({ id }) => id));
    for (const id of this.ended) if (!unknown.has(id)) this.forget(id);
  }

  leaveUnfinished(id: string): void {
    this.unfinished.add(id);
  }

  isUnfinished(id: string): boolean {
    return this.unfinished.has(id);
  }

  /**
   * Makes due at once what ended because of the stop alone, without counting the attempt, and releases what is still
   * locked. Jobs that ignore the stop may still run, and wait until their process has surely gone. Without the
   * database, notes that the workers have stopped in order: their jobs did not end this process.
   */
  async giveBack(): Promise<void> {
    if (this.begun.size === 0 && this.unfinished.size === 0) return;
    const workerIds = this.workerIds();
    const running = [...this.begun.keys()].filter((id) => !this.ended.has(id));
    try {
      await this.pool.query(
        `UPDATE graphile_worker._private_jobs SET attempts = attempts - 1, run_at = now()
          WHERE id = ANY ($1::bigint[]) AND is_available AND attempts > 0`,
        [[...this.unfinished]],
      );
      await this.pool.query(
        `UPDATE graphile_worker._private_jobs
            SET locked_at = NULL, locked_by = NULL, attempts = greatest(attempts - 1, 0),
                run_at = CASE WHEN id = ANY ($2::bigint[]) THEN now() + interval '${STILL_RUNNING_S} s' ELSE run_at END
          WHERE locked_by = ANY ($1)`,
        [workerIds, running],
      );
    } catch (error) {
      this.logger.warn(`Jobs could not be handed back: ${loggedError(error).message}`);
      await this.stopped.note(workerIds);
    }
  }

  private workerIds(): string[] {
    return [...new Set(this.begun.values())];
  }

  private forget(id: string): void {
    this.begun.delete(id);
    this.ended.delete(id);
  }
}
