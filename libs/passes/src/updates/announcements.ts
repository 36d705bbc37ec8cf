import { Injectable } from '@nestjs/common';
import { Jobs } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { DeviceRegistrationsRepository } from '../devices/device-registrations.repository.js';
import { GoogleMarking } from '../google/google-marking.js';
import { PassChanged } from './updates.jobs.js';

/** What the devices of a pass are told by. */
interface Serial {
  readonly accountId: string;
  readonly serialNumber: string;
}

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
  async passChanged(tx: EntityManager, { accountId, serialNumber }: Serial): Promise<void> {
    const isHeld = await this.registrations.isRegistered(tx, accountId, serialNumber);
    if (isHeld) await this.jobs.add(tx, new PassChanged({ accountId, serialNumber }));
    await this.google.passesChanged(tx, [{ accountId, serialNumber }]);
  }
}
