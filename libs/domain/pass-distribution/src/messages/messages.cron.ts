import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import { MessageJobs } from './message-jobs.service.js';
import type { MessageDue } from './messages.jobs.js';
import { MessagesRepository } from './messages.repository.js';

/** Maximum number of jobs that one run adds. */
const atOnce = 1000;

/** Adds a job for each founder whose accounts have due messages, in case an earlier job was lost. */
@Injectable()
export class MessagesCron {
  constructor(
    private readonly database: Database,
    private readonly messages: MessagesRepository,
    private readonly jobs: MessageJobs,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'messages.look', crontab: '* * * * *', lane: 'looks' })
  async look(): Promise<void> {
    const due = await this.messages.due(this.clock.now(), atOnce);
    const jobs = new Map<string, MessageDue>();
    for (const message of due) {
      const job = await this.jobs.jobOf(message);
      if (!jobs.has(job.key)) jobs.set(job.key, job);
    }
    if (jobs.size > 0) await this.database.transaction((tx) => this.jobs.add(tx, ...jobs.values()));
  }
}
