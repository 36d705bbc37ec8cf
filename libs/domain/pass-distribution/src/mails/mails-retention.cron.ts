import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, deleteInBatches } from '@passwright/database';
import { PassMailsRepository } from './pass-mails.repository.js';

const STORED_MS = 400 * 24 * 60 * 60 * 1000;

/** Deletes mails that were requested more than 400 days ago. */
@Injectable()
export class MailsRetentionCron {
  constructor(
    private readonly database: Database,
    private readonly repository: PassMailsRepository,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'pass-mails.delete-old', crontab: '21 4 * * *' })
  async deleteOld(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - STORED_MS);
    await deleteInBatches(this.database, (tx, limit) => this.repository.deleteBefore(tx, before, limit));
  }
}
