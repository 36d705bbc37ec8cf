import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountData } from '@passwright/accounts';

/**
 * Exports and deletes an account's service account. It remains in use until Google has been notified of the deletion.
 */
@Injectable()
export class GoogleServiceAccountsDataService implements OnModuleInit {
  constructor(private readonly data: AccountData) {}

  onModuleInit(): void {
    const table = {
      table: 'google_service_account',
      key: [],
      hidden: ['private_key'],
      staysUntilNotified: true as const,
    };
    this.data.add({ floor: 5, steps: [table] });
  }
}
