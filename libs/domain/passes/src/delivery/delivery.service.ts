import { Injectable } from '@nestjs/common';
import { Clock, decodeCursor, encodeCursor, type PageQuery, Signer } from '@passwright/core';
import { DeviceActivity } from '../devices/device-activity.js';
import { GoogleProgressService } from '../google/google-progress.service.js';
import type { PassAddress } from '../passes/pass-links.js';
import { PassesService } from '../passes/passes.service.js';
import { PassesOptions } from '../passes.options.js';
import { PushHaltsRepository } from '../updates/push-halts.repository.js';
import { sortedComplaints } from './complaints.js';
import type { DeliveryResponse } from './delivery.dto.js';
import { DeliveryRepository } from './delivery.repository.js';
import type { PushState } from './delivery-verdict.js';
import { toDeviceDelivery } from './device-delivery.js';

/** Tells what became of the last change of a pass: device by device, and in words. */
@Injectable()
export class DeliveryService {
  constructor(
    private readonly options: PassesOptions,
    private readonly passes: PassesService,
    private readonly repository: DeliveryRepository,
    private readonly halts: PushHaltsRepository,
    private readonly activity: DeviceActivity,
    private readonly google: GoogleProgressService,
    private readonly signer: Signer,
    private readonly clock: Clock,
  ) {}

  /** A page of the pass's devices. @throws PassNotFound, ValidationFailed for a cursor of another list */
  async trace(address: PassAddress, { limit, cursor }: PageQuery): Promise<DeliveryResponse> {
    const [after = ''] = decodeCursor(cursor, (id) => /^[\w-]{1,64}$/.test(id)) ?? [];
    // What devices have asked for on this node is told at once, and of other nodes within a second.
    await this.activity.flush();
    const { pass, templateUpdatedAt } = await this.passes.get(address);
    const { accountId, serialNumber, updatedAt } = pass;
    const version = updatedAt > templateUpdatedAt ? updatedAt : templateUpdatedAt;
    const push = await this.pushState(accountId);
    const now = this.clock.now();
    const found = await this.repository.devices(accountId, serialNumber, after, limit + 1, now);
    const devices = found.slice(0, limit);
    const last = devices.at(-1);
    const complaints = sortedComplaints(await this.repository.lines(accountId, serialNumber), devices);
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

  private async pushState(accountId: string): Promise<PushState> {
    const identity = await this.signer.identity(accountId).catch((error: Error) => error);
    if (identity instanceof Error) return { state: 'halted', reason: identity.message, retryAt: null };
    const halt = await this.halts.find(accountId, identity.fingerprint);
    if (halt) return { state: 'halted', reason: halt.reason, retryAt: halt.retryAt };
    if (identity.development && !this.options.pushesDevelopmentPasses) {
      const reason = 'The certificate is a development one, which Apple does not know.';
      return { state: 'off', reason, retryAt: null };
    }
    return { state: 'on', reason: null, retryAt: null };
  }
}
