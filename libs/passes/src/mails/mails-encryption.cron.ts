import { Injectable } from '@nestjs/common';
import { PersonalData } from '@passwright/accounts';
import { Database, type JobContext, Scheduled } from '@passwright/database';
import { type MailKey, PassMailsRepository } from './pass-mails.repository.js';

const BATCH_SIZE = 100;

/** Encrypts the mails that are still in clear, batch by batch: it goes on after any interruption. */
@Injectable()
export class MailsEncryptionCron {
  constructor(
    private readonly database: Database,
    private readonly repository: PassMailsRepository,
    private readonly keys: PersonalData,
  ) {}

  @Scheduled({ name: 'pass-mails.encrypt', crontab: '*/5 * * * *' })
  async run({ signal }: JobContext): Promise<void> {
    if (!this.keys.encrypts) return;
    for (let after: MailKey | undefined = { accountId: '', id: '' }; after;) {
      signal.throwIfAborted();
      const from: MailKey = after;
      after = await this.database.transaction(async (tx) => {
        const mails = await this.repository.lockInClear(tx, from, BATCH_SIZE);
        for (const mail of mails) await this.repository.encrypt(tx, mail);
        return mails.length === BATCH_SIZE ? mails.at(-1) : undefined;
      });
    }
  }
}
