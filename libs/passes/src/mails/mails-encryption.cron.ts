import { Injectable } from '@nestjs/common';
import { encryptInBatches, PersonalData } from '@passwright/accounts';
import { Database, type JobContext, Scheduled } from '@passwright/database';
import { PassMailsRepository } from './pass-mails.repository.js';

/** Encrypts the mails that are still in clear. */
@Injectable()
export class MailsEncryptionCron {
  constructor(
    private readonly database: Database,
    private readonly repository: PassMailsRepository,
    private readonly keys: PersonalData,
  ) {}

  @Scheduled({ name: 'pass-mails.encrypt', crontab: '*/5 * * * *' })
  async run({ signal }: JobContext): Promise<void> {
    if (this.keys.encrypts) await encryptInBatches(this.database, this.repository, signal);
  }
}
