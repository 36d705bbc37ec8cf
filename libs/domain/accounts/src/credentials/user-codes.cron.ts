import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, deleteInBatches } from '@passwright/database';
import { UserCodesRepository } from './user-codes.repository.js';

/** Deletes expired codes every hour. */
@Injectable()
export class UserCodesCron {
  constructor(
    private readonly database: Database,
    private readonly codes: UserCodesRepository,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'user-codes.delete-expired', crontab: '37 * * * *' })
  async deleteExpired(): Promise<void> {
    const now = this.clock.now();
    await deleteInBatches(this.database, (tx, limit) => this.codes.deleteExpired(tx, now, limit));
  }
}
