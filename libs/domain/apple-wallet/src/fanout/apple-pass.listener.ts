import { Injectable } from '@nestjs/common';
import { Listens } from '@passwright/core';
import { Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { type ChangedFront, PassListener, type PassSerial, type SentNotice } from '@passwright/passes';
import { noticesOf } from '@passwright/wallet-renderers';
import { RegisteredPassesRepository } from './registered-passes.repository.js';
import { DevicesLeftToMark, PassChanged } from '../push/push.jobs.js';

/** Adds the jobs that notify the devices of a changed pass. */
@Injectable()
@Listens(PassListener)
export class ApplePassListener extends PassListener {
  constructor(
    private readonly registrations: RegisteredPassesRepository,
    private readonly jobs: Jobs,
  ) {
    super();
  }

  override async passesChanged(tx: EntityManager, passes: readonly PassSerial[]): Promise<void> {
    await this.pushHeld(tx, passes);
  }

  /** Returns the lines that lock screens show if a device has the pass. */
  override async frontChanged(tx: EntityManager, front: ChangedFront): Promise<readonly SentNotice[]> {
    const isHeld = (await this.pushHeld(tx, [front])) > 0;
    const where = isHeld
      ? ({ shown: 'notification', reason: null } as const)
      : ({ shown: 'nowhere', reason: 'not_installed' } as const);
    return noticesOf(front.changes).map((line) => ({ wallet: 'apple', notifiesAt: null, ...where, ...line }));
  }

  override templateChanged(tx: EntityManager, accountId: string, templateId: string): Promise<void> {
    return this.jobs.add(tx, new DevicesLeftToMark({ accountId, changed: { templateId }, afterDeviceId: '' }));
  }

  /** @returns the number of these passes that at least one device has */
  private async pushHeld(tx: EntityManager, passes: readonly PassSerial[]): Promise<number> {
    const held = await this.registrations.findRegistered(tx, passes);
    await this.jobs.addMany(
      tx,
      held.map(({ accountId, serialNumber }) => new PassChanged({ accountId, serialNumber })),
    );
    return held.length;
  }

  /** Returns the deleted passes that a device still holds and may request. */
  override neededTombstones(tx: EntityManager, passes: readonly PassSerial[]): Promise<PassSerial[]> {
    return this.registrations.findRegistered(tx, passes);
  }
}
