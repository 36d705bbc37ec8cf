import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { IdempotencyRepository } from './idempotency.repository.js';

/** Deletes idempotency keys with their stored responses when their 24 hours are over. */
@Injectable()
export class IdempotencyKeysCron {
  constructor(
    private readonly keys: IdempotencyRepository,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'idempotency-keys.delete-expired', crontab: '23 * * * *' })
  async deleteExpired(): Promise<void> {
    await this.keys.deleteExpired(this.clock.now());
  }
}
