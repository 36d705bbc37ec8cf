import { Injectable } from '@nestjs/common';
import { Jobs } from '@passwright/jobs';
import { IssuedPassesService } from '@passwright/passes';
import type { EntityManager } from 'typeorm';
import type { PassMailRow } from './pass-mail.entity.js';
import { PassMailQueued } from './pass-mails.jobs.js';
import { PassMailsRepository } from './pass-mails.repository.js';

/** Stores mails and adds the jobs that send them. */
@Injectable()
export class PassMailOutboxService {
  constructor(
    private readonly repository: PassMailsRepository,
    private readonly jobs: Jobs,
    private readonly passes: IssuedPassesService,
  ) {}

  async put(tx: EntityManager, mail: PassMailRow): Promise<void> {
    const { accountId, id: mailId } = mail;
    await this.repository.insert(tx, mail);
    await this.jobs.add(tx, new PassMailQueued({ accountId, mailId }));
    await this.passes.record(tx, mail, 'sent', { mailId });
  }
}
