import { Injectable } from '@nestjs/common';
import { Clock, decodeCursor, encodeCursor, type PageQuery } from '@passwright/core';
import { GoogleProgressService } from '@passwright/google-wallet';
import { PassDevicesService, PushStateService } from '@passwright/apple-wallet';
import { type PassAddress, PassesService } from '@passwright/passes';
import { sortedComplaints } from './device-complaints.js';
import type { DeliveryResponse } from './delivery.dto.js';
import { toDeviceDelivery } from './device-delivery.js';

/** Explains the delivery of a pass's last change to each device. */
@Injectable()
export class DeliveryService {
  constructor(
    private readonly passes: PassesService,
    private readonly devices: PassDevicesService,
    private readonly pushes: PushStateService,
    private readonly google: GoogleProgressService,
    private readonly clock: Clock,
  ) {}

  /** Returns a page of the pass's devices. @throws PassNotFound, ValidationFailed for a cursor of another list */
  async trace(address: PassAddress, { limit, cursor }: PageQuery): Promise<DeliveryResponse> {
    const [after = ''] = decodeCursor(cursor, (id) => /^[\w-]{1,64}$/.test(id)) ?? [];
    const { pass, templateUpdatedAt } = await this.passes.get(address);
    const { accountId, serialNumber, updatedAt } = pass;
    const version = updatedAt > templateUpdatedAt ? updatedAt : templateUpdatedAt;
    const push = await this.pushes.get(accountId);
    const now = this.clock.now();
    const found = await this.devices.list(accountId, serialNumber, after, limit + 1);
    const devices = found.slice(0, limit);
    const last = devices.at(-1);
    const complaints = sortedComplaints(await this.devices.logLines(accountId, serialNumber), devices);
    return {
      version: version.toISOString(),
      walletB: await this.google.ofPass(pass),
      push: { state: push.state, reason: push.reason, retryAt: push.retryAt?.toISOString() ?? null },
      complaints: complaints.others,
      devices: devices.map((device) =>
        toDeviceDelivery(device, version, push, now, complaints.byDevice.get(device.deviceId) ?? []),
      ),
      nextCursor: last && found.length > limit ? encodeCursor([last.deviceId]) : null,
    };
  }
}
