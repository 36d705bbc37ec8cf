import type { Logger } from '@nestjs/common';
import { loggedError } from '@passwright/core';
import type { WorkerEvents } from 'graphile-worker';
import type { Pool } from 'pg';
import type { StoppedWorkers } from './stopped-workers.js';

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

  /** Forgets the jobs that have ended: the database has just answered, so it knows their end. */
  confirm(): void {
    for (const id of this.ended) this.begun.delete(id);
    this.ended.clear();
  }

  leaveUnfinished(id: string): void {
    this.unfinished.add(id);
  }

  isUnfinished(id: string): boolean {
    return this.unfinished.has(id);
  }

  /**
   * Makes due at once what ended because of the stop alone, without counting the attempt, and releases what is still locked.
   * Without the database, notes that the workers have stopped in order: their jobs did not end this process.
   */
  async giveBack(): Promise<void> {
    if (this.begun.size === 0 && this.unfinished.size === 0) return;
    const workerIds = [...new Set(this.begun.values())];
    try {
      await this.pool.query(
        `UPDATE graphile_worker._private_jobs SET attempts = attempts - 1, run_at = now()
          WHERE id = ANY ($1::bigint[]) AND is_available AND attempts > 0`,
        [[...this.unfinished]],
      );
      await this.pool.query(
        `UPDATE graphile_worker._private_jobs
            SET locked_at = NULL, locked_by = NULL, attempts = greatest(attempts - 1, 0) WHERE locked_by = ANY ($1)`,
        [workerIds],
      );
    } catch (error) {
      this.logger.warn(`Jobs could not be handed back: ${loggedError(error).message}`);
      await this.stopped.note(workerIds);
    }
  }
}
