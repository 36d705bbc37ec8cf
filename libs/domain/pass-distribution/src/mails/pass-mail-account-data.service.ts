import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountData } from '@passwright/accounts';

/** Registers the mails of an account for export and deletion. */
@Injectable()
export class PassMailAccountDataService implements OnModuleInit {
  constructor(private readonly data: AccountData) {}

  onModuleInit(): void {
    this.data.add({
      floor: 24,
      steps: [
        { table: 'pass_mail', key: ['id'], encryptedAs: 'mail' },
        { table: 'pass_mail_day', key: [] },
        { table: 'pass_mail_recipient', key: ['recipient_hash', 'sent_at', 'mail_id'], hidden: 'all' },
      ],
    });
  }
}
