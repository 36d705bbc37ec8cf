import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { JobHandler, Jobs, type JobContext } from '@passwright/jobs';
import { AppleCertificateChanged } from '@passwright/wallet-credentials';
import { TemplatesLeftToRenew } from './templates.jobs.js';
import { TemplatesRepository } from './templates.repository.js';
import { TemplatesService } from './templates.service.js';

const pageSize = 100;

/**
 * Creates new versions of all passes of an account after its certificate has changed, because passes contain values of
 * the certificate.
 */
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
   * Creates the new versions one template after another. On a shutdown, adds a job that continues after the last
   * renewed template. After a crash, some templates may get two new versions, which is harmless.
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
