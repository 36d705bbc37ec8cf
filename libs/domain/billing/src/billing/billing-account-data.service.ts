import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountData } from '@passwright/accounts';

/** Registers the account data of this lib for export and deletion. */
@Injectable()
export class BillingAccountData implements OnModuleInit {
  constructor(private readonly data: AccountData) {}

  onModuleInit(): void {
    this.data.add({
      floor: 1,
      steps: [
        { table: 'pass_creation', key: ['counted_from', 'shard'], hidden: ['shard', 'granted'] },
        { table: 'pass_use', key: ['shard'], hidden: ['shard'] },
        { table: 'usage_day', key: ['day'] },
        { table: 'usage_month', key: ['month'] },
        { table: 'billing', key: [] },
        { table: 'payment_subscription', key: ['id'] },
        { table: 'payment_customer', key: ['id'] },
      ],
    });
  }
}
