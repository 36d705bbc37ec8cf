import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, deleteInBatches, deleteSome } from '@passwright/database';
import { IdempotencyRepository } from './idempotency/idempotency.repository.js';

/** Deletes expired idempotency keys and rate limit counters. */
@Injectable()
export class HttpCleanupCron {
  constructor(
    private readonly database: Database,
    private readonly keys: IdempotencyRepository,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'idempotency-keys.delete-expired', crontab: '23 * * * *' })
  async deleteExpiredKeys(): Promise<void> {
    await this.keys.deleteExpired(this.clock.now());
  }

  @Scheduled({ name: 'rate-limits.delete-expired', crontab: '*/10 * * * *' })
  async deleteExpiredCounters(): Promise<void> {
    const expired = {
      table: 'rate_limit',
      key: ['key'],
      condition: 'old.expire < $1',
      values: [this.clock.now().getTime()],
    };
    await deleteInBatches(this.database, (tx, limit) => deleteSome(this.database, tx, expired, limit));
  }
}
