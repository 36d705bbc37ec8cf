import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { type JobContext, JobHandler, Jobs } from '@passwright/jobs';
import { RelatedPassesRepository } from '@passwright/passes';
import { GoogleResourcesRepository } from './google-resources.repository.js';
import { GoogleResourcesDue, LinkingObjectsToMark } from './google.jobs.js';

/** Serial numbers that one statement reads. It finds all passes that link, so fewer numbers would mean more of this. */
const readAtOnce = 20_000;
const markedAtOnce = 500;
const sliceMs = 10_000;

/** Marks the objects of passes that link to another, of which there may be any number. */
@Injectable()
export class GoogleLinkingObjects {
  constructor(
    private readonly related: RelatedPassesRepository,
    private readonly resources: GoogleResourcesRepository,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  @JobHandler(LinkingObjectsToMark)
  async mark(
    { accountId, serialNumber, after }: LinkingObjectsToMark['payload'],
    { signal }: JobContext,
  ): Promise<void> {
    const endsAt = this.clock.now().getTime() + sliceMs;
    const serials = await this.related.linking(accountId, serialNumber, { after, limit: readAtOnce });
    let marked = 0;
    while (marked < serials.length && !signal.aborted && this.clock.now().getTime() < endsAt) {
      await this.markPage(accountId, serials.slice(marked, marked + markedAtOnce));
      marked += markedAtOnce;
    }
    if (marked >= serials.length && serials.length < readAtOnce) return;
    const left = { accountId, serialNumber, after: serials[Math.min(marked, serials.length) - 1] ?? after };
    await this.database.transaction((tx) => this.jobs.add(tx, new LinkingObjectsToMark(left)));
  }

  private markPage(accountId: string, serials: readonly string[]): Promise<void> {
    const accountIds = serials.map(() => accountId);
    return this.database.transaction(async (tx) => {
      const holders = await this.resources.markPasses(tx, accountIds, serials, this.clock.now());
      if (holders.length > 0) await this.jobs.add(tx, new GoogleResourcesDue({ accountId }));
    });
  }
}
