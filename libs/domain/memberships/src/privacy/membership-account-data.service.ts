import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountData } from '@passwright/accounts';

/** Exports and deletes this lib's data of an account. */
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
