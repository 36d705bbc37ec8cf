import { Injectable } from '@nestjs/common';
import { encryptInBatches, PersonalData } from '@passwright/accounts';
import { Database, type JobContext, Scheduled } from '@passwright/database';
import { PassesRepository } from './passes.repository.js';

/** Encrypts the names on members' passes that are still in clear. */
@Injectable()
export class PassesEncryptionCron {
  constructor(
    private readonly database: Database,
    private readonly repository: PassesRepository,
    private readonly keys: PersonalData,
  ) {}

  @Scheduled({ name: 'passes.encrypt', crontab: '*/5 * * * *' })
  async run({ signal }: JobContext): Promise<void> {
    if (this.keys.encrypts) await encryptInBatches(this.database, this.repository, signal);
  }
}
