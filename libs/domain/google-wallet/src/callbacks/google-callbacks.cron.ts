import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, deleteInBatches } from '@passwright/database';
import { GoogleCallbacksRepository } from './google-callbacks.repository.js';

/** Deletes the nonces of expired callbacks every hour, because an expired callback is rejected anyway. */
@Injectable()
export class GoogleCallbacksCron {
  constructor(
    private readonly database: Database,
    private readonly repository: GoogleCallbacksRepository,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'google-wallet.forget-callbacks', crontab: '23 * * * *' })
  async deleteExpired(): Promise<void> {
    const now = this.clock.now();
    await deleteInBatches(this.database, (tx, limit) => this.repository.deleteExpired(tx, now, limit));
  }
}
