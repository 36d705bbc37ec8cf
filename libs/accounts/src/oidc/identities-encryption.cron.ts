import { Injectable } from '@nestjs/common';
import { Database, type JobContext, Scheduled } from '@passwright/database';
import { encryptInBatches } from '../personal-data/background-encryption.js';
import { keysOfUsers } from '../personal-data/encryption-keys.repository.js';
import { PersonalData } from '../personal-data/personal-data.js';
import { IdentitiesRepository } from './identities.repository.js';

/** Hashes the subjects of identities that are still in clear. */
@Injectable()
export class IdentitiesEncryptionCron {
  constructor(
    private readonly database: Database,
    private readonly repository: IdentitiesRepository,
    private readonly keys: PersonalData,
  ) {}

  @Scheduled({ name: 'identities.encrypt', crontab: '*/5 * * * *' })
  async run({ signal }: JobContext): Promise<void> {
    if (!this.keys.encrypts || !(await this.keys.find(keysOfUsers))) return;
    await encryptInBatches(this.database, this.repository, signal);
  }
}
