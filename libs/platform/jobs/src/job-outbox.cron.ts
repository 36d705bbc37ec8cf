import { Injectable, Optional } from '@nestjs/common';
import { Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import { JobOutbox } from './job-outbox.js';

/**
 * Moves the jobs that a process left in the outbox to the queue. Does nothing without Citus, because a single Postgres
 * server has no outbox.
 */
@Injectable()
export class JobOutboxCron {
  constructor(@Optional() private readonly database?: Database) {}

  @Scheduled({ name: 'jobs.empty-outbox', crontab: '* * * * *', lane: 'looks' })
  async empty(): Promise<void> {
    if (this.database?.isDistributed) await new JobOutbox(this.database).empty();
  }
}
