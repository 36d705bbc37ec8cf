import { type QueueTables, queueTables } from '@passwright/database';
import type { Logger } from '@nestjs/common';
import { loggedError } from '@passwright/core';
import type { WorkerEvents } from 'graphile-worker';
import type { ClientBase, Pool } from 'pg';
import { type LockedJob, LostJobs } from './lost-jobs.js';
import type { StoppedWorkers } from './stopped-workers.js';

/** A job that ignores a stop runs on another worker after this many seconds at the earliest. */
const STILL_RUNNING_S = 10;

/** A run of a job. The id of the job alone does not identify it, because the job may be locked again immediately. */
interface Run {
  readonly workerId: string;
  readonly lockedAt: number | undefined;
}

/** Tracks the jobs whose end may not be stored yet. Returns them to the queue when the worker stops. */
export class JobsInHand {
  /** The latest run of each job. */
  private readonly begun = new Map<string, Run>();
  private readonly ended = new Set<string>();
  /** Jobs that ended early because of the stop. */
  private readonly unfinished = new Set<string>();
  private readonly lost: LostJobs;
  /** The workers with a note that says they have stopped, and a promise that resolves when the note is written. */
  private noted: { readonly workerIds: readonly string[]; readonly written: Promise<void> } | null = null;

  constructor(
    private readonly pool: Pool,
    private readonly stopped: StoppedWorkers,
    private readonly logger: Logger,
    private readonly queue: QueueTables = queueTables(null),
  ) {
    this.lost = new LostJobs(logger, queue);
  }

  watch(events: WorkerEvents): void {
    this.lost.watch(events);
    events.on('job:start', ({ job, worker }) => {
      this.ended.delete(job.id);
      this.begun.set(job.id, { workerId: worker.workerPool.id, lockedAt: job.locked_at?.getTime() });
    });
    events.on('job:complete', ({ job }) => this.ended.add(job.id));
  }

  /** Forgets the jobs whose end is stored. Releases jobs that the database has locked without this process knowing. */
  async confirm(client: ClientBase): Promise<void> {
    // Copy the ended jobs first, because more jobs may end during the query.
    const ended = [...this.ended];
    const locked = await this.lost.locked(client);
    const isKnown = ({ id, lockedDate }: LockedJob) => this.begun.get(id)?.lockedAt === lockedDate.getTime();
    const unknown = locked.filter((job) => !isKnown(job));
    const ids = new Set(locked.filter(isKnown).map(({ id }) => id));
    for (const id of ended) if (this.ended.has(id) && !ids.has(id)) this.forget(id);
    await this.lost.release(client, unknown);
  }

  leaveUnfinished(id: string): void {
    this.unfinished.add(id);
  }

  isUnfinished(id: string): boolean {
    return this.unfinished.has(id);
  }

  /**
   * Writes a note outside the database that this process stopped properly, so that the last run of its jobs does not
   * count as a crash.
   */
  async note(): Promise<void> {
    const workerIds = this.workerIds();
    this.noted = { workerIds, written: this.stopped.note(workerIds) };
    await this.noted.written;
  }

  /** Deletes the note, because these workers hold their jobs again or have no jobs. */
  async deleteNote(): Promise<void> {
    const { noted } = this;
    await noted?.written;
    if (noted) await this.stopped.forget(noted.workerIds);
    if (this.noted === noted) this.noted = null;
  }

  /**
   * Returns the jobs that ended because of the stop to the queue, due immediately. A job that may still run becomes due
   * ten seconds later. Writes a note if the database is unavailable.
   */
  async giveBack(): Promise<void> {
    const running = [...this.begun.keys()].filter((id) => !this.ended.has(id));
    try {
      if (this.unfinished.size > 0) await this.makeDue();
      await this.release([...this.lost.workerIds], running);
    } catch (error) {
      this.logger.warn(`Jobs could not be handed back: ${loggedError(error).message}`);
      await this.note();
      return;
    }
    await this.deleteNote();
  }

  private async makeDue(): Promise<void> {
    await this.pool.query(
      `UPDATE ${this.queue.jobs} SET attempts = attempts - 1, run_at = now()
        WHERE id = ANY ($1::bigint[]) AND is_available AND attempts > 0`,
      [[...this.unfinished]],
    );
  }

  private async release(workerIds: readonly string[], running: readonly string[]): Promise<void> {
    await this.pool.query(
      `UPDATE ${this.queue.jobs}
          SET locked_at = NULL, locked_by = NULL, attempts = greatest(attempts - 1, 0),
              run_at = CASE WHEN id = ANY ($2::bigint[]) THEN now() + interval '${STILL_RUNNING_S} s' ELSE run_at END
        WHERE locked_by = ANY ($1)`,
      [workerIds, running],
    );
  }

  /** Returns the workers that hold jobs. Other workers need no note, and it would never be deleted. */
  private workerIds(): string[] {
    const begun = [...this.begun.values()].map(({ workerId }) => workerId);
    return [...new Set([...begun, ...this.lost.seenWorkerIds])];
  }

  private forget(id: string): void {
    this.begun.delete(id);
    this.ended.delete(id);
  }
}
