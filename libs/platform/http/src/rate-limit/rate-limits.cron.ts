import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, deleteInBatches, deleteSome } from '@passwright/database';

/** Deletes expired counters of rate limits. */
@Injectable()
export class RateLimitsCron {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'rate-limits.delete-expired', crontab: '*/10 * * * *' })
  async deleteExpired(): Promise<void> {
    const expired = {
      table: 'rate_limit',
      key: ['key'],
      condition: 'old.expire < $1',
      values: [this.clock.now().getTime()],
    };
    await deleteInBatches(this.database, (tx, limit) => deleteSome(this.database, tx, expired, limit));
  }
}
