import { Injectable } from '@nestjs/common';
import { Database, type JobContext, Scheduled } from '@passwright/database';
import { encryptInBatches } from '../personal-data/background-encryption.js';
import { PersonalData } from '../personal-data/personal-data.js';
import { InvitesRepository } from './invites.repository.js';

/** Encrypts the invitations that are still in clear. */
@Injectable()
export class InvitesEncryptionCron {
  constructor(
    private readonly database: Database,
    private readonly repository: InvitesRepository,
    private readonly keys: PersonalData,
  ) {}

  @Scheduled({ name: 'invites.encrypt', crontab: '*/5 * * * *' })
  async run({ signal }: JobContext): Promise<void> {
    if (this.keys.encrypts) await encryptInBatches(this.database, this.repository, signal);
  }
}
