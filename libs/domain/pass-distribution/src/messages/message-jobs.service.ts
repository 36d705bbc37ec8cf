import { Injectable } from '@nestjs/common';
import { AccountsService } from '@passwright/accounts';
import { Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { MessageDue } from './messages.jobs.js';
import type { MessageKey } from './messages.repository.js';

/** Adds the jobs of due messages. */
@Injectable()
export class MessageJobs {
  constructor(
    private readonly accounts: AccountsService,
    private readonly jobs: Jobs,
  ) {}

  /** Returns the job of a message. May read from the database, so call it before the transaction that adds the job. */
  async jobOf({ accountId, id: messageId }: MessageKey): Promise<MessageDue> {
    return new MessageDue({ accountId, messageId, share: await this.accounts.shareOf(accountId) });
  }

  add(tx: EntityManager, ...jobs: MessageDue[]): Promise<void> {
    return this.jobs.addMany(tx, jobs);
  }
}
