import { Injectable, Logger } from '@nestjs/common';
import { PersonalData } from '@passwright/accounts';
import { Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import type { JobContext } from '@passwright/jobs';
import { MembersRepository } from './members.repository.js';

/**
 * The number of members in a batch. It is small, so that requests that change a member of the batch do not wait long.
 */
const BATCH_SIZE = 100;

/** Encrypts members that are still unencrypted, in batches, and resumes after interruptions. */
@Injectable()
export class MembersEncryptionCron {
  private readonly logger = new Logger('PersonalData');

  constructor(
    private readonly database: Database,
    private readonly repository: MembersRepository,
    private readonly keys: PersonalData,
  ) {}

  @Scheduled({ name: 'memberships.encrypt-members', crontab: '*/5 * * * *' })
  async run({ signal }: JobContext): Promise<void> {
    for await (const accountId of this.keys.incomplete()) {
      let encrypted = 0;
      for (let after: number | undefined = 0; after !== undefined;) {
        signal.throwIfAborted();
        const page = await this.encryptPage(accountId, after);
        encrypted += page.encrypted;
        after = page.last;
      }
      await this.database.transaction(async (tx) => {
        if (!(await this.repository.hasInClear(tx, accountId))) await this.keys.complete(tx, accountId);
      });
      if (encrypted > 0) this.logger.log(`Members of ${accountId} encrypted: ${encrypted}.`);
    }
  }

  /**
   * Encrypts a batch of members in one transaction. Logs and skips members who share their e-mail with an encrypted
   * member.
   * @returns the number of encrypted members, and the id of the last member of a full batch
   */
  private async encryptPage(accountId: string, after: number) {
    return this.database.transaction(async (tx) => {
      const members = await this.repository.lockInClear(tx, accountId, after, BATCH_SIZE);
      const last = members.length === BATCH_SIZE ? members.at(-1)?.id : undefined;
      const twins = await this.repository.findTwins(tx, accountId, members);
      const free = members.filter(({ id }) => !twins.has(id));
      for (const id of twins)
        this.logger.error(`Member ${id} of ${accountId} has the e-mail of another; it stays in clear.`);
      if (free.length > 0) await this.repository.encrypt(tx, free);
      return { encrypted: free.length, last };
    });
  }
}
