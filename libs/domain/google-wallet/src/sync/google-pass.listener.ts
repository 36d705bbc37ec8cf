import { Injectable } from '@nestjs/common';
import { Listens } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { PassListener, type PassSerial, type TimelyMessage } from '@passwright/passes';
import { GoogleSyncQueue } from './google-sync-queue.handlers.js';
import { GoogleResourcesRepository } from './google-resources.repository.js';

/** Queues what Google Wallet holds of changed passes. */
@Injectable()
@Listens(PassListener)
export class GooglePassListener extends PassListener {
  constructor(
    private readonly queue: GoogleSyncQueue,
    private readonly resources: GoogleResourcesRepository,
  ) {
    super();
  }

  override passesChanged(tx: EntityManager, passes: readonly PassSerial[]): Promise<void> {
    return this.queue.passesChanged(tx, passes);
  }

  override templateChanged(tx: EntityManager, accountId: string, templateId: string): Promise<void> {
    return this.queue.templateChanged(tx, accountId, templateId);
  }

  override messageSent(tx: EntityManager, pass: PassSerial, message: TimelyMessage): Promise<void> {
    return this.queue.tellHolders(tx, pass, message);
  }

  /** Google has yet to receive the empty, inactive object of a deleted pass. */
  override neededTombstones(tx: EntityManager, passes: readonly PassSerial[]): Promise<PassSerial[]> {
    return this.resources.findDue(tx, passes);
  }

  /** Objects of deleted passes stay at Google, empty and inactive; their rows go. */
  override tombstonesDeleted(tx: EntityManager, passes: readonly PassSerial[]): Promise<void> {
    return this.resources.deleteOfPasses(tx, passes);
  }
}
