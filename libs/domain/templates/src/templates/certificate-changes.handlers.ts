import { Injectable } from '@nestjs/common';
import { AppleCertificateChanged } from '@passwright/accounts';
import { Database } from '@passwright/database';
import { JobHandler, Jobs, type JobContext } from '@passwright/jobs';
import { TemplatesLeftToRenew } from './templates.jobs.js';
import { TemplatesRepository } from './templates.repository.js';
import { TemplatesService } from './templates.service.js';

const pageSize = 100;

/** What an account's certificate says is in all its passes: when that changes, they all do. */
@Injectable()
export class CertificateChangesHandlers {
  constructor(
    private readonly repository: TemplatesRepository,
    private readonly templates: TemplatesService,
    private readonly database: Database,
    private readonly jobs: Jobs,
  ) {}

  @JobHandler(AppleCertificateChanged)
  renew({ accountId }: AppleCertificateChanged['payload'], context: JobContext): Promise<void> {
    return this.renewAfter({ accountId, afterTemplateId: '' }, context);
  }

  /**
   * One template after the other, as there are few of them, each with its passes. When the process stops, another job has
   * the rest: those that are done are not told anew. After a crash some are, which does no harm.
   */
  @JobHandler(TemplatesLeftToRenew)
  async renewAfter(
    { accountId, afterTemplateId }: TemplatesLeftToRenew['payload'],
    { signal }: JobContext,
  ): Promise<void> {
    for (let after = afterTemplateId; ;) {
      const ids = await this.repository.idsAfter(accountId, after, pageSize);
      for (const id of ids) {
        if (signal.aborted) return this.leave(accountId, after);
        await this.templates.renew(accountId, id);
        after = id;
      }
      if (ids.length < pageSize) return;
    }
  }

  private leave(accountId: string, afterTemplateId: string): Promise<void> {
    const left = new TemplatesLeftToRenew({ accountId, afterTemplateId });
    return this.database.transaction((tx) => this.jobs.add(tx, left));
  }
}
