import { Injectable } from '@nestjs/common';
import { AppleCertificateChanged } from '@passwright/accounts';
import { JobHandler, type JobContext } from '@passwright/database';
import { TemplatesRepository } from './templates.repository.js';
import { TemplatesService } from './templates.service.js';

const pageSize = 100;

/** What an account's certificate says is in all its passes: when that changes, they all do. */
@Injectable()
export class CertificateChanges {
  constructor(
    private readonly repository: TemplatesRepository,
    private readonly templates: TemplatesService,
  ) {}

  /** One template after the other, as there are few of them, each with its passes. Once too often does no harm. */
  @JobHandler(AppleCertificateChanged)
  async renew({ accountId }: AppleCertificateChanged['payload'], { signal }: JobContext): Promise<void> {
    for (let after = ''; ;) {
      const ids = await this.repository.idsAfter(accountId, after, pageSize);
      for (const id of ids) {
        signal.throwIfAborted();
        await this.templates.renew(accountId, id);
      }
      if (ids.length < pageSize) return;
      after = ids.at(-1) ?? after;
    }
  }
}
