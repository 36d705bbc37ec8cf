import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountData } from '@passwright/accounts';

/** The data of an account in this lib. */
@Injectable()
export class MembershipAccountDataService implements OnModuleInit {
  constructor(private readonly data: AccountData) {}

  onModuleInit(): void {
    this.data.add({
      floor: 30,
      steps: [
        { table: 'member', key: ['id'], hidden: ['search'], encryptedAs: 'member' },
        { table: 'membership_settings', key: [] },
      ],
    });
  }
}
