import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { DeviceActivity } from './device-activity.service.js';
import {
  type DeviceCount,
  type Holding,
  type LogLine,
  type PassDevice,
  PassDevicesRepository,
} from './pass-devices.repository.js';

/** Lists, exports and deletes the stored device data of a single pass. */
@Injectable()
export class PassDevicesService {
  constructor(
    private readonly repository: PassDevicesRepository,
    private readonly activity: DeviceActivity,
    private readonly clock: Clock,
  ) {}

  /** Lists current and former devices of the pass in the order of their ids, starting after `afterDeviceId`. */
  async list(accountId: string, serialNumber: string, afterDeviceId: string, limit: number): Promise<PassDevice[]> {
    // Flush first, so that the list includes all requests to this node. Requests to other nodes appear within a second.
    await this.activity.flush();
    return this.repository.devices(accountId, serialNumber, afterDeviceId, limit, this.clock.now());
  }

  /** Lists the log lines that devices sent, newest first. */
  logLines(accountId: string, serialNumber: string): Promise<LogLine[]> {
    return this.repository.lines(accountId, serialNumber);
  }

  /** Returns the serial numbers of the passes that at least one device holds. */
  async held(accountId: string, serialNumbers: readonly string[], tx?: EntityManager): Promise<Set<string>> {
    return new Set(await this.repository.held(accountId, serialNumbers, tx));
  }

  /**
   * Counts the devices that hold a pass, or any pass of a template.
   * @param most counting stops after this many registrations
   */
  countHolding(accountId: string, holding: Holding, most: number): Promise<DeviceCount> {
    return this.repository.countHolding(accountId, holding, most);
  }

  /** Counts the current and former devices of the pass. */
  count(tx: EntityManager, accountId: string, serialNumber: string): Promise<number> {
    return this.repository.count(tx, accountId, serialNumber);
  }

  /** Deletes the log lines of a pass and the records of its former devices. */
  erase(tx: EntityManager, accountId: string, serialNumber: string): Promise<void> {
    return this.repository.erase(tx, accountId, serialNumber);
  }

  /** Returns the stored device data without the secrets of phones and push services. */
  export(accountId: string, serialNumber: string): Promise<Record<'installed' | 'former' | 'log', object[]>> {
    return this.repository.export(accountId, serialNumber);
  }
}
