import { Injectable } from '@nestjs/common';
import { GoogleServiceAccountChanged } from '@passwright/wallet-credentials';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { type JobContext, JobHandler, Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import type { PassSerial, TimelyMessage } from '@passwright/passes';
import { GoogleResourcesRepository, type MarkPosition } from './google-resources.repository.js';
import { GoogleObjectsToMark, GoogleResourcesDue } from './google.jobs.js';

const sliceMs = 10_000;
const pageSize = 1000;
const fromTheFirst: MarkPosition = { id: '', issuerId: '' };

/** After a change: marks what Google holds of what has changed. Only what somebody wanted there is there. */
@Injectable()
export class GoogleSyncQueue {
  constructor(
    private readonly resources: GoogleResourcesRepository,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** Passes have changed, were deleted or expired: in the transaction of that. */
  async passesChanged(tx: EntityManager, passes: readonly PassSerial[]): Promise<void> {
    const accountIds = passes.map(({ accountId }) => accountId);
    const serials = passes.map(({ serialNumber }) => serialNumber);
    const holders = await this.resources.markPasses(tx, accountIds, serials, this.clock.now());
    await this.jobs.addMany(
      tx,
      holders.map((accountId) => new GoogleResourcesDue({ accountId })),
    );
  }

  /** The holders of a pass are to be told something: in the transaction of what there is to tell. */
  async tellHolders(tx: EntityManager, pass: PassSerial, message: TimelyMessage): Promise<void> {
    const isHeld = await this.resources.tellHolders(tx, pass, message, this.clock.now());
    if (isHeld) await this.jobs.add(tx, new GoogleResourcesDue({ accountId: pass.accountId }));
  }

  /** Sees to it that the class and all objects of a template are compared with what they should be. */
  templateChanged(tx: EntityManager, accountId: string, templateId: string): Promise<void> {
    return this.jobs.add(tx, new GoogleObjectsToMark({ accountId, templateId, after: fromTheFirst }));
  }

  @JobHandler(GoogleObjectsToMark)
  async mark({ accountId, templateId, after }: GoogleObjectsToMark['payload'], { signal }: JobContext): Promise<void> {
    const endsAt = this.clock.now().getTime() + sliceMs;
    for (let position: MarkPosition | null = after; position !== null;) {
      if (signal.aborted || this.clock.now().getTime() >= endsAt) {
        const left = new GoogleObjectsToMark({ accountId, templateId, after: position });
        return this.database.transaction((tx) => this.jobs.add(tx, left));
      }
      position = await this.markPage(accountId, templateId, position);
    }
  }

  /** With another service account what the old one could not write may go, and what was left aside has perhaps changed. */
  @JobHandler(GoogleServiceAccountChanged)
  serviceAccountChanged({ accountId }: GoogleServiceAccountChanged['payload']): Promise<void> {
    return this.database.transaction((tx) => this.accountChanged(tx, accountId));
  }

  /** Sees to it that everything an account has at Google is compared with what it should be. */
  accountChanged(tx: EntityManager, accountId: string): Promise<void> {
    return this.jobs.add(tx, new GoogleObjectsToMark({ accountId, templateId: null, after: fromTheFirst }));
  }

  private markPage(accountId: string, templateId: string | null, after: MarkPosition): Promise<MarkPosition | null> {
    return this.database.transaction(async (tx) => {
      const page = await this.resources.markMany(tx, { accountId, templateId }, after, pageSize, this.clock.now());
      if (page.marked > 0) await this.jobs.add(tx, new GoogleResourcesDue({ accountId }));
      return page.last;
    });
  }
}
