import { Injectable, Optional } from '@nestjs/common';
import { Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import { JobOutbox } from './job-outbox.js';

/**
 * Moves jobs to the queue that a process has left in the outbox. Does nothing without Citus, because there is no
 * outbox.
 */
@Injectable()
export class JobOutboxCron {
  constructor(@Optional() private readonly database?: Database) {}

  @Scheduled({ name: 'jobs.empty-outbox', crontab: '* * * * *', lane: 'looks' })
  async empty(): Promise<void> {
    if (this.database?.isDistributed) await new JobOutbox(this.database).empty();
  }
}
