import { Injectable } from '@nestjs/common';
import { Jobs } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { DeviceRegistrationsRepository, type PassSerial } from '../devices/device-registrations.repository.js';
import { GoogleMarking } from '../google/google-marking.js';
import { PassChanged } from './updates.jobs.js';

/** Sees to it that the wallets that hold a pass learn of its change. */
@Injectable()
export class Announcements {
  constructor(
    private readonly registrations: DeviceRegistrationsRepository,
    private readonly google: GoogleMarking,
    private readonly jobs: Jobs,
  ) {}

  /**
   * Adds the jobs that tell the devices and Google, if they hold it: they commit with the change. The pass is locked, as it is when a
   * device registers, so that either this sees the registration or the device the change.
   */
  passChanged(tx: EntityManager, pass: PassSerial): Promise<void> {
    return this.passesChanged(tx, [pass]);
  }

  /** As `passChanged`, of many. */
  async passesChanged(tx: EntityManager, passes: readonly PassSerial[]): Promise<void> {
    if (passes.length === 0) return;
    const held = await this.registrations.findRegistered(tx, passes);
    await this.jobs.addMany(
      tx,
      held.map(({ accountId, serialNumber }) => new PassChanged({ accountId, serialNumber })),
    );
    await this.google.passesChanged(tx, passes);
  }
}
