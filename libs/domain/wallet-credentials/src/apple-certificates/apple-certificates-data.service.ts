import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountData } from '@passwright/accounts';

/** The certificates of an account, for its export and deletion. They sign until the wallets are told of the deletion. */
@Injectable()
export class AppleCertificatesDataService implements OnModuleInit {
  constructor(private readonly data: AccountData) {}

  onModuleInit(): void {
    this.data.add({
      floor: 5,
      steps: [
        { table: 'notice', key: ['key'], hidden: 'all' },
        { table: 'apple_certificate_request', key: [], hidden: ['private_key'] },
        { table: 'apple_certificate', key: [], hidden: ['private_key'], staysUntilTold: true },
      ],
    });
  }
}
