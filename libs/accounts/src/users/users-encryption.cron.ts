import { Injectable, Logger } from '@nestjs/common';
import { Database, type JobContext, Scheduled } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { encryptInBatches } from '../personal-data/background-encryption.js';
import { keysOfUsers } from '../personal-data/encryption-keys.repository.js';
import { PersonalData } from '../personal-data/personal-data.js';
import type { User } from './user.entity.js';
import { EmailTaken } from './users.errors.js';
import { UsersRepository } from './users.repository.js';

/** Encrypts the users who are still in clear. */
@Injectable()
export class UsersEncryptionCron {
  private readonly logger = new Logger('PersonalData');

  constructor(
    private readonly database: Database,
    private readonly repository: UsersRepository,
    private readonly keys: PersonalData,
  ) {}

  @Scheduled({ name: 'users.encrypt', crontab: '*/5 * * * *' })
  async run({ signal }: JobContext): Promise<void> {
    if (!this.keys.encrypts || !(await this.keys.find(keysOfUsers))) return;
    const rows = {
      lockInClear: this.repository.lockInClear.bind(this.repository),
      encrypt: (tx: EntityManager, user: User) => this.encrypt(tx, user),
    };
    await encryptInBatches(this.database, rows, signal);
  }

  private async encrypt(tx: EntityManager, user: User): Promise<void> {
    try {
      await this.repository.encrypt(tx, user);
    } catch (error) {
      if (!(error instanceof EmailTaken)) throw error;
      this.logger.error(`User ${user.uid} has the e-mail of another; they stay in clear.`);
    }
  }
}
