import { Database, type QueueTables, queueTables } from '@passwright/database';
import { Injectable, Optional } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { linkTrace } from '@passwright/core';
import type { Job, JobClass } from './job.js';
import { JobOutbox } from './job-outbox.js';
import { JobDiscoveryService } from './job-discovery.service.js';
import { type JobFlags, traceOf } from './job-trace.js';
import { KEYED, type QueueCounts, queueCounts, SUSPECT } from './queue.js';
import { additionsOf, addToQueue, specsOf } from './queue-additions.js';
import { type JobSetAside, listSetAside, suspect, takeUp } from './set-aside.js';
import type { SuspectWork } from './suspect-work.js';

/** Adds jobs to the queue in the same Postgres. */
@Injectable()
export class Jobs {
  private readonly queue: QueueTables;
  private readonly takeAlongSql: string;
  /** Stores the jobs of accounts until they are in the queue; null without Citus. */
  private readonly outbox: JobOutbox | null;

  /** @param database determines the schema of the queue */
  constructor(
    @Optional() database?: Database,
    @Optional() private readonly handlers?: JobDiscoveryService,
  ) {
    this.queue = queueTables(database?.schema ?? null);
    this.takeAlongSql = takeAlongSql(this.queue);
    this.outbox = database?.isDistributed ? new JobOutbox(database) : null;
  }

  /** Adds a job, which commits or rolls back with `tx`. It replaces a job with the same key that has not begun. */
  async add(tx: EntityManager, job: Job): Promise<void> {
    await this.addMany(tx, [job]);
  }

  /**
   * Adds jobs like `add`, in one statement. Jobs with a time, of a class with `runsAtEarliest`, need two more
   * statements. If several jobs have the same key, the last one counts. The statements are sent together with the next
   * one of `tx`, which fails if they fail.
   */
  async addMany(tx: EntityManager, jobs: readonly Job[]): Promise<void> {
    const others = this.outbox ? await this.outbox.put(tx, jobs) : jobs;
    for (const addition of additionsOf(others)) await addToQueue(tx, this.queue, addition);
  }

  /**
   * Removes waiting jobs of a class from the queue, so that a handler can do their work together with its own. They
   * count as done when `tx` commits.
   * @param like properties that the payloads must have.
   * @returns the payloads
   */
  async takeAlong<Payload extends object>(
    tx: EntityManager,
    job: JobClass<Payload>,
    limit: number,
    like: Partial<Payload> = {},
  ): Promise<Payload[]> {
    type Taken = { readonly payload: Payload; readonly flags: JobFlags };
    const values = [job.task, JSON.stringify(like), limit];
    const [taken] = await tx.query<[Taken[], number]>(this.takeAlongSql, values);
    for (const { flags } of taken) linkTrace(traceOf(flags));
    return taken.map(({ payload }) => payload);
  }

  /**
   * Adds one job for units of work that have probably crashed their process twice (see `SuspectWork`). Skips units that
   * are set aside or already have such a job.
   */
  async addSuspects(tx: EntityManager, work: SuspectWork): Promise<void> {
    const job = await suspect(tx, work, this.queue);
    if (job) await addToQueue(tx, this.queue, { specs: specsOf([job], [KEYED, SUSPECT]), atEarliest: false });
  }

  /** Lists the jobs that were set aside, oldest first. */
  listSetAside(reads: EntityManager): Promise<JobSetAside[]> {
    return listSetAside(reads);
  }

  /**
   * Returns a job that was set aside to the queue.
   * @returns false if there is no such job
   */
  takeUp(tx: EntityManager, id: string): Promise<boolean> {
    return takeUp(tx, id, this.queue);
  }

  /** Lists the tasks that this process has handlers for. Works once all providers exist. @throws TaskTaken */
  tasks(): string[] {
    return [...(this.handlers?.find().tasks.keys() ?? [])];
  }

  /** Counts the jobs in each state, for monitoring. */
  count(reads: EntityManager): Promise<QueueCounts> {
    return queueCounts(reads, this.queue);
  }
}

/** Takes only jobs that have never begun, because failed jobs run again by themselves. */
const takeAlongSql = (queue: QueueTables) => `
  DELETE FROM ${queue.jobs} WHERE id = ANY (ARRAY(
    SELECT id FROM ${queue.jobs}
     WHERE task_id = (SELECT id FROM ${queue.tasks} WHERE identifier = $1)
       AND is_available AND attempts = 0 AND run_at <= now() AND payload::jsonb @> $2::jsonb
     ORDER BY run_at LIMIT $3 FOR UPDATE SKIP LOCKED))
  RETURNING payload, flags`;
