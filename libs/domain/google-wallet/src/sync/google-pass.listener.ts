import { Injectable } from '@nestjs/common';
import { Listens } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import {
  type ChangedFront,
  PassListener,
  type PassSerial,
  type SentNotice,
  type TimelyMessage,
} from '@passwright/passes';
import { GoogleSyncQueue } from './google-sync-queue.handlers.js';
import { GoogleResourcesRepository } from './google-resources.repository.js';

/** Queues the Google objects of changed passes. */
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
    return this.queue.notifyHolders(tx, [pass], message);
  }

  override frontChanged(tx: EntityManager, front: ChangedFront): Promise<readonly SentNotice[]> {
    return this.queue.frontsChanged(tx, [front]);
  }

  override async frontsChanged(tx: EntityManager, fronts: readonly ChangedFront[]): Promise<void> {
    await this.queue.frontsChanged(tx, fronts);
  }

  /** Returns the deleted passes for which Google has not yet received an empty, inactive object. */
  override neededTombstones(tx: EntityManager, passes: readonly PassSerial[]): Promise<PassSerial[]> {
    return this.resources.findDue(tx, passes);
  }

  /** Deletes the rows of deleted passes. Their objects stay at Google, empty and inactive. */
  override tombstonesDeleted(tx: EntityManager, passes: readonly PassSerial[]): Promise<void> {
    return this.resources.deleteOfPasses(tx, passes);
  }

  override messagesSent(tx: EntityManager, passes: readonly PassSerial[], message: TimelyMessage): Promise<void> {
    return this.queue.notifyHolders(tx, passes, message);
  }
}
