import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, deleteInBatches } from '@passwright/database';
import { PaymentsRepository } from './payments.repository.js';

/** The time for which events stay stored: longer than a provider goes on repeating an event that was not accepted. */
const STORED_MS = 30 * 86_400_000;

/** Deletes events after 30 days, when their signature has expired anyway. Subscriptions of accounts stay. */
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
