import { Injectable } from '@nestjs/common';
import { Listens } from '@passwright/core';
import { Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { PassListener, type PassSerial } from '@passwright/passes';
import { RegisteredPassesRepository } from './registered-passes.repository.js';
import { DevicesLeftToMark, PassChanged } from '../push/push.jobs.js';

/** Adds the jobs that push the devices of a changed pass. */
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
    const held = await this.registrations.findRegistered(tx, passes);
    await this.jobs.addMany(
      tx,
      held.map(({ accountId, serialNumber }) => new PassChanged({ accountId, serialNumber })),
    );
  }

  override templateChanged(tx: EntityManager, accountId: string, templateId: string): Promise<void> {
    return this.jobs.add(tx, new DevicesLeftToMark({ accountId, changed: { templateId }, afterDeviceId: '' }));
  }

  /** Returns the deleted passes that a device still holds and so may request. */
  override neededTombstones(tx: EntityManager, passes: readonly PassSerial[]): Promise<PassSerial[]> {
    return this.registrations.findRegistered(tx, passes);
  }
}
