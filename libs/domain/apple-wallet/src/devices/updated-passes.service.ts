import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { DeviceActivity } from './device-activity.service.js';
import { type DeviceName, requireDeviceName } from './device-request.js';
import { AppleWalletOptions } from '../apple-wallet.options.js';
import { decodeTag, encodeTag, isSigned, signTag, type UpdateTag } from './update-tag.js';
import { type UpdatedPassesResponse } from './updated-passes.dto.js';
import { UpdatedPassesRepository } from './updated-passes.repository.js';

/** Tells devices which of their passes have changed. */
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
   * The passes that have changed since the list that gave the tag: each change is in one list, the first that is read
   * after its commit. Without a tag of ours all that the device is registered for.
   * @param isTold whether the device gets the answer, and so counts as having listed
   * @returns null when there are none. @throws ValidationFailed
   */
  async list(device: DeviceName, tag: string | undefined, isTold: boolean): Promise<UpdatedPassesResponse | null> {
    requireDeviceName(device);
    const asked = decodeTag(tag);
    const { registered, serialNumbers, now, since, isAhead } = await this.repository.find(device, asked);
    if (isAhead && asked && tag && isSigned(tag, this.options.passTokenSecret)) await this.noteLostFuture(asked);
    // Anyone may ask, for any device: only those that there are leave a trace.
    if (registered > 0 && isTold) {
      this.activity.listed({ ...device, snapshot: now.snapshot, since, at: this.clock.now() });
    }
    return serialNumbers.length > 0
      ? { serialNumbers, lastUpdated: signTag(encodeTag(now), this.options.passTokenSecret) }
      : null;
  }

  private async noteLostFuture(tag: UpdateTag): Promise<void> {
    if (!(await this.repository.noteLostFuture(tag))) return;
    this.logger.warn('A phone holds a list of a later state than that of the database: the database was rolled back');
  }
}
