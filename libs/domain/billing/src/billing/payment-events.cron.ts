import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, deleteInBatches } from '@passwright/database';
import { PaymentsRepository } from './payments.repository.js';

/** Events are stored for 30 days, because a provider may resend an event for some days. */
const STORED_MS = 30 * 86_400_000;

/**
 * Deletes events, and subscriptions without an account, after 30 days. A deleted event cannot be replayed, because its
 * signature has expired.
 */
@Injectable()
export class PaymentEventsCron {
  constructor(
    private readonly database: Database,
    private readonly repository: PaymentsRepository,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'payments.forget', crontab: '41 3 * * *' })
  async deleteOld(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - STORED_MS);
    await deleteInBatches(this.database, (tx, limit) => this.repository.deleteEventsBefore(tx, before, limit));
    await deleteInBatches(this.database, (tx, limit) => this.repository.deleteSubscriptionsBefore(tx, before, limit));
  }
}
