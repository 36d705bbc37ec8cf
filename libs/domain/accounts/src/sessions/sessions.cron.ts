import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, deleteInBatches } from '@passwright/database';
import { SessionsRepository } from './sessions.repository.js';

/** Deletes expired sessions every hour. */
@Injectable()
export class SessionsCron {
  constructor(
    private readonly database: Database,
    private readonly repository: SessionsRepository,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'sessions.delete-expired', crontab: '17 * * * *' })
  async deleteExpired(): Promise<void> {
    const now = this.clock.now();
    await deleteInBatches(this.database, (tx, limit) => this.repository.deleteExpired(tx, now, limit));
  }
}
