import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountData } from '@passwright/accounts';

/**
 * Exports and deletes an account's certificates. They remain in use until the wallets have been notified of the
 * deletion.
 */
@Injectable()
export class AppleCertificatesDataService implements OnModuleInit {
  constructor(private readonly data: AccountData) {}

  onModuleInit(): void {
    this.data.add({
      floor: 5,
      steps: [
        { table: 'notice', key: ['key'], hidden: 'all' },
        { table: 'apple_certificate_request', key: [], hidden: ['private_key'] },
        { table: 'apple_certificate', key: [], hidden: ['private_key'], staysUntilNotified: true },
      ],
    });
  }
}
