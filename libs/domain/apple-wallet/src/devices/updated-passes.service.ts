import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { DeviceActivity } from './device-activity.service.js';
import { type DeviceName, requireDeviceName } from './device-request.js';
import { AppleWalletOptions } from '../apple-wallet.options.js';
import { decodeTag, encodeTag, isSigned, signTag, type UpdateTag } from './update-tag.js';
import { type UpdatedPassesResponse } from './updated-passes.dto.js';
import { UpdatedPassesRepository } from './updated-passes.repository.js';

/** Lists the changed passes of devices. */
@Injectable()
export class UpdatedPassesService {
  private readonly logger = new Logger('AppleWallet');

  constructor(
    private readonly options: AppleWalletOptions,
    private readonly repository: UpdatedPassesRepository,
    private readonly activity: DeviceActivity,
    private readonly clock: Clock,
  ) {}

  /**
   * Lists the passes that have changed since the list with this tag. Each change appears in exactly one list: the first
   * one after its commit. Without a valid tag, lists all registered passes.
   * @param isNotified true if the device receives the list, so that the request is recorded
   * @returns null if no pass has changed.
   * @throws ValidationFailed
   */
  async list(device: DeviceName, tag: string | undefined, isNotified: boolean): Promise<UpdatedPassesResponse | null> {
    requireDeviceName(device);
    const asked = decodeTag(tag);
    const { registered, serialNumbers, now, since, isAhead, coversAll } = await this.repository.find(device, asked);
    if (isAhead && asked && tag && isSigned(tag, this.options.passTokenSecret))
      await this.noteLostFuture(device, asked);
    // Record only known devices, because anyone can send a request for any device identifier.
    if (registered > 0 && isNotified && coversAll) {
      this.activity.listed({ snapshot: now.snapshot, since, at: this.clock.now(), ...device });
    }
    return serialNumbers.length > 0
      ? { serialNumbers, lastUpdated: signTag(encodeTag(now), this.options.passTokenSecret) }
      : null;
  }

  private async noteLostFuture(device: DeviceName, tag: UpdateTag): Promise<void> {
    if (!(await this.repository.noteLostFuture(device, tag))) return;
    this.logger.warn('A phone holds a list of a later state than that of the database: the database was rolled back');
  }
}
