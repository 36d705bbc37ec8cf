import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { IncarnationListener, type IncarnationStep, Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { ChangedResourcesRepository } from './changed-resources.repository.js';
import type { ResourceKey } from './google-resource.js';
import { GoogleResourcesDue } from './google.jobs.js';

const pageSize = 1000;

/**
 * Marks all resources as changed after a restore, so that the service writes them to Google Wallet again. Google may
 * have versions that the restore has undone.
 */
@Injectable()
export class RestoredGoogleResources extends IncarnationListener {
  override readonly incarnationWork = 'google-wallet';

  constructor(
    private readonly changed: ChangedResourcesRepository,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async incarnationStep(tx: EntityManager, position: Partial<ResourceKey>): Promise<IncarnationStep> {
    const { accountId = '', issuerId = '', id = '' } = position;
    const page = await this.changed.doubtAll(tx, { accountId, issuerId, id }, pageSize, this.clock.now());
    const accountIds = new Set(page.map((resource) => resource.accountId));
    await this.jobs.addMany(
      tx,
      [...accountIds].map((each) => new GoogleResourcesDue({ accountId: each })),
    );
    return { next: page.length === pageSize ? (page.at(-1) ?? null) : null };
  }
}
