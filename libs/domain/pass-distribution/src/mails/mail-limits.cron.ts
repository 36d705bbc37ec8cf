import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, deleteInBatches } from '@passwright/database';
import { MailLimitsRepository } from './mail-limits.repository.js';
import { countedMs } from './mail-limits.service.js';

/** Deletes recipients that no longer count towards a limit, every hour. */
@Injectable()
export class MailLimitsCron {
  constructor(
    private readonly database: Database,
    private readonly repository: MailLimitsRepository,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'pass-mails.forget-recipients', crontab: '13 * * * *' })
  async deleteRecipients(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - countedMs);
    await deleteInBatches(this.database, (tx, limit) => this.repository.deleteRecipients(tx, before, limit));
  }
}
