import { Injectable } from '@nestjs/common';
import { Scheduled } from '@passwright/core';
import { PaymentEventsService } from './payment-events.service.js';

/** Deletes old payment events every night. */
@Injectable()
export class PaymentEventsCron {
  constructor(private readonly events: PaymentEventsService) {}

  @Scheduled({ name: 'payments.forget', crontab: '41 3 * * *' })
  forget(): Promise<void> {
    return this.events.forget();
  }
}
