import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountData } from '@passwright/accounts';

/** The service account of an account, for its export and deletion. It writes until Google is told of the deletion. */
@Injectable()
export class GoogleServiceAccountsDataService implements OnModuleInit {
  constructor(private readonly data: AccountData) {}

  onModuleInit(): void {
    const table = { table: 'google_service_account', key: [], hidden: ['private_key'], staysUntilTold: true as const };
    this.data.add({ floor: 5, steps: [table] });
  }
}
