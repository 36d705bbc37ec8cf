import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import type { JobContext } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { PassChangeNotifier } from '../listeners/pass-change-notifier.service.js';
import { DeletedPassesRepository, LOOKED_AT, type Tombstone } from './deleted-passes.repository.js';

/** How long a tombstone is stored if no wallet needs it longer, in milliseconds. */
const STORED_MS = 400 * 24 * 60 * 60 * 1000;

/** Deletes tombstones that are more than 400 days old, except those that a wallet still needs. */
@Injectable()
export class DeletedPassesCron {
  constructor(
    private readonly database: Database,
    private readonly repository: DeletedPassesRepository,
    private readonly notifier: PassChangeNotifier,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'passes.forget-deleted', crontab: '11 4 * * *' })
  async forget({ signal }: Pick<JobContext, 'signal'>): Promise<void> {
    const before = new Date(this.clock.now().getTime() - STORED_MS);
    let after: Tombstone | null = null;
    do {
      signal.throwIfAborted();
      const from: Tombstone | null = after;
      after = await this.database.transaction((tx) => this.forgetPage(tx, before, from));
    } while (after);
  }

  /**
   * Deletes the unneeded tombstones of a batch.
   * @returns the last tombstone of a full batch; null at the end
   */
  private async forgetPage(tx: EntityManager, before: Date, from: Tombstone | null): Promise<Tombstone | null> {
    const page = await this.repository.listOld(tx, before, from);
    const unneeded = await this.notifier.unneededTombstones(tx, page);
    await this.repository.deleteTombstones(tx, unneeded);
    await this.notifier.tombstonesDeleted(tx, unneeded);
    return page.length === LOOKED_AT ? (page.at(-1) ?? null) : null;
  }
}
