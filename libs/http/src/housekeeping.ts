import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database, Scheduled } from '@passwright/database';
import { IdempotencyRepository } from './idempotency/idempotency.repository.js';

/** Deletes what has expired: idempotency keys and rate limit counters. */
@Injectable()
export class HttpHousekeeping {
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
    await this.database.transaction((tx) =>
      tx.query('DELETE FROM rate_limit WHERE expire < $1', [this.clock.now().getTime()]),
    );
  }
}
