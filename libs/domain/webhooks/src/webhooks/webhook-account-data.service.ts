import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountData } from '@passwright/accounts';

/**
 * Exports and deletes the webhook data of an account. Deletes webhooks first, so that the deletion records no events.
 */
@Injectable()
export class WebhookAccountDataService implements OnModuleInit {
  constructor(private readonly data: AccountData) {}

  onModuleInit(): void {
    this.data.add({
      floor: 40,
      steps: [
        { table: 'webhook', key: ['id'], hidden: ['secret', 'previous_secret'] },
        { table: 'webhook_delivery', key: ['webhook_id', 'event_id'] },
        { table: 'webhook_event', key: ['id'], hidden: ['recorded_in', 'position'] },
      ],
    });
  }
}
