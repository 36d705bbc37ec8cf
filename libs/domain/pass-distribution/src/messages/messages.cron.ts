import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import { MessageDue } from './messages.jobs.js';
import { MessagesRepository } from './messages.repository.js';

/** The maximum number of jobs that one look adds. */
const atOnce = 1000;

/** Adds the jobs of accounts with messages whose time has come, or whose job was lost. */
@Injectable()
export class MessagesCron {
  constructor(
    private readonly database: Database,
    private readonly messages: MessagesRepository,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'messages.look', crontab: '* * * * *', lane: 'looks' })
  async look(): Promise<void> {
    const due = await this.messages.due(this.clock.now(), atOnce);
    const jobs = due.map(({ accountId, id: messageId }) => new MessageDue({ accountId, messageId }));
    if (jobs.length > 0) await this.database.transaction((tx) => this.jobs.addMany(tx, jobs));
  }
}
