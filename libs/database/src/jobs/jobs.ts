import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Job, JobClass } from './job.js';

/** Adds jobs to the queue in the same Postgres. */
@Injectable()
export class Jobs {
  /** Commits, or rolls back, with `tx`. A job with the key of one that has not begun takes its place. */
  async add(tx: EntityManager, job: Job): Promise<void> {
    await tx.query(
      'SELECT FROM graphile_worker.add_job($1, payload := $2::json, run_at := $3::timestamptz, job_key := $4)',
      [(job.constructor as unknown as JobClass).task, JSON.stringify(job.payload), job.runAt ?? null, job.key ?? null],
    );
  }
}
