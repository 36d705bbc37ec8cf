import { type QueueTables, queueTables } from '@passwright/database';
import type { Logger } from '@nestjs/common';
import type { Worker, WorkerEvents } from 'graphile-worker';
import type { ClientBase } from 'pg';

/** A job that the database has locked for a worker of this process. */
export interface LockedJob {
  readonly id: string;
  readonly workerId: string;
  /** The time as text, because a `Date` has fewer digits than the database. */
  readonly lockedAt: string;
  /** The time of the lock, as graphile-worker passes it on with the job. */
  readonly lockedDate: Date;
}

interface SeenJob {
  readonly workerId: string;
  readonly lockedAt: string;
  /** The number of the latest request for a job before this check. */
  readonly request: number;
}

/** Selects the jobs that are locked for the workers in $1. */
export const lockedJobsSql = (queue: QueueTables): string => `
  SELECT id, locked_by AS "workerId", locked_at::text AS "lockedAt", locked_at AS "lockedDate"
    FROM ${queue.jobs}
   WHERE NOT is_available AND locked_by = ANY ($1)`;

/**
 * Releases jobs. Skips jobs that a transaction is replacing, because this process must not wait for that transaction.
 */
const releaseSql = (queue: QueueTables) => `
  UPDATE ${queue.jobs} job
     SET locked_at = NULL, locked_by = NULL, attempts = greatest(job.attempts - 1, 0)
    FROM ${queue.tasks} task
   WHERE task.id = job.task_id AND job.id IN (
     SELECT held.id FROM ${queue.jobs} held
       JOIN unnest($1::bigint[], $2::timestamptz[]) AS lost (id, locked_at) USING (id, locked_at)
      FOR UPDATE OF held SKIP LOCKED)
  RETURNING job.id, task.identifier AS task`;

/**
 * Releases jobs that the database locked for this process, if the response was lost with the connection. Otherwise they
 * would stay locked for as long as the process lives.
 */
export class LostJobs {
  /** All workers of this process. Each may hold a job that it does not know of. */
  readonly workerIds = new Set<string>();
  private requests = 0;
  /** The number of each worker's latest request for a job, until the response arrives. */
  private readonly pending = new Map<Worker, number>();
  /** The jobs that were locked at the last check but had not begun in this process. */
  private seen: ReadonlyMap<string, SeenJob> = new Map();

  constructor(
    private readonly logger: Logger,
    private readonly queue: QueueTables = queueTables(null),
  ) {}

  /** The workers that held locks at the last check on jobs that had not begun. */
  get seenWorkerIds(): string[] {
    return [...this.seen.values()].map(({ workerId }) => workerId);
  }

  watch(events: WorkerEvents): void {
    events.on('pool:create', ({ workerPool }) => this.workerIds.add(workerPool.id));
    events.on('worker:getJob:start', ({ worker }) => this.pending.set(worker, ++this.requests));
    events.on('worker:getJob:empty', ({ worker }) => this.pending.delete(worker));
    events.on('job:start', ({ worker }) => this.pending.delete(worker));
    events.on('worker:getJob:error', ({ worker }) => this.pending.delete(worker));
  }

  /** Reads the jobs that the database has locked for this process. */
  async locked(client: ClientBase): Promise<LockedJob[]> {
    const values = [[...this.workerIds]];
    const { rows } = await client.query<LockedJob>({ name: 'locked-jobs', text: lockedJobsSql(this.queue), values });
    return rows;
  }

  /**
   * Releases the lost jobs. A job is lost if it has not begun although all requests that were pending when it was first
   * seen have ended.
   * @param unknown the jobs that the database has locked for this process but that have not begun under this lock
   */
  async release(client: ClientBase, unknown: readonly LockedJob[]): Promise<void> {
    const lost = unknown.filter((job) => this.isLost(job));
    this.seen = new Map(unknown.map((job) => [job.id, this.firstSeen(job) ?? this.seenNow(job)]));
    if (lost.length === 0) return;
    const values = [lost.map(({ id }) => id), lost.map(({ lockedAt }) => lockedAt)];
    const { rows } = await client.query<{ id: string; task: string }>(releaseSql(this.queue), values);
    for (const { id, task } of rows)
      this.logger.warn(`Job ${task} (${id}) runs now: the connection that handed it to this worker was lost`);
  }

  private isLost(job: LockedJob): boolean {
    const seen = this.firstSeen(job);
    if (!seen) return false;
    const requests = [...this.pending].filter(([{ workerPool }]) => workerPool.id === job.workerId);
    return requests.every(([, request]) => request > seen.request);
  }

  /** Returns what the first check under this lock has recorded; null if the job was locked again since then. */
  private firstSeen({ id, lockedAt }: LockedJob): SeenJob | null {
    const seen = this.seen.get(id);
    return seen?.lockedAt === lockedAt ? seen : null;
  }

  private seenNow({ workerId, lockedAt }: LockedJob): SeenJob {
    return { workerId, lockedAt, request: this.requests };
  }
}
