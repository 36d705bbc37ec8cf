import { Injectable } from '@nestjs/common';
import { Clock, findSigningIdentity, Signer } from '@passwright/core';
import { Database } from '@passwright/database';
import { HeldPassesRepository } from '@passwright/passes';
import { AppleWalletOptions } from '../apple-wallet.options.js';
import { deviceId } from './device-id.js';
import { type DeviceName, requireDeviceName } from './device-request.js';
import { DeviceRegistrationsRepository } from './device-registrations.repository.js';
import { PassTokenRejected } from '../packages/authentication-token.js';
import { defaultPacing } from '../push/push-pacing.js';

const DEVICES_PER_PASS = 100;

/** A device and a pass of the same pass type. Check the token of the pass before you trust these values. */
export interface RegistrationAddress extends DeviceName {
  readonly serialNumber: string;
}

/** Registers and unregisters devices for updates of passes. */
@Injectable()
export class DeviceRegistrationsService {
  constructor(
    private readonly options: AppleWalletOptions,
    private readonly database: Database,
    private readonly repository: DeviceRegistrationsRepository,
    private readonly passes: HeldPassesRepository,
    private readonly signer: Signer,
    private readonly clock: Clock,
  ) {}

  /**
   * Registers a device for a pass, even a deleted one, and updates the device's push token in all accounts. If the pass
   * has changed since it was issued, the device may have an older version. In this case, the device's next list names
   * the pass, and the service sends a push unless the device requests the list within the push window.
   * @returns true for a new registration.
   * @throws PassTokenRejected, ValidationFailed
   */
  async register(address: RegistrationAddress, pushToken: string): Promise<boolean> {
    requireDeviceName(address);
    const { serialNumber, passTypeIdentifier } = address;
    const accountId = await this.accountOf(serialNumber);
    // Accept registrations without a valid certificate, because a wrong pass type would harm only the device itself.
    const identity = await findSigningIdentity(this.signer, accountId);
    if (identity && identity.passTypeIdentifier !== passTypeIdentifier) throw new PassTokenRejected();
    const registeredAt = this.clock.now();
    const newId = deviceId(this.options.passTokenSecret, accountId, address);
    return this.database.transaction(async (tx) => {
      await this.repository.takeTurn(tx, address);
      await this.repository.takeTurnOfPass(tx, serialNumber);
      const pass = await this.passes.hold(tx, accountId, serialNumber);
      if (!pass) throw new PassTokenRejected();
      await this.repository.renewPushToken(tx, address, pushToken, registeredAt);
      const device = { ...address, accountId, id: newId, pushToken, registeredAt };
      const id = await this.repository.upsertDevice(tx, device);
      const { versionAt: seenAt, ...held } = pass;
      const registration = { ...held, accountId, deviceId: id, serialNumber, registeredAt, seenAt };
      const isNew = await this.repository.upsertRegistration(tx, registration);
      if (isNew) await this.repository.deleteSilent(tx, registration, this.options.devicesPerPass ?? DEVICES_PER_PASS);
      if (isNew && pass.hasChanged) await this.repository.lookAt(tx, accountId, id, this.endOfWindow(registeredAt));
      return isNew;
    });
  }

  /**
   * Unregisters a device. Does nothing if it is not registered for the pass. @throws PassTokenRejected, ValidationFailed
   */
  async unregister(address: RegistrationAddress): Promise<void> {
    requireDeviceName(address);
    const { serialNumber, passTypeIdentifier } = address;
    const accountId = await this.accountOf(serialNumber);
    const now = this.clock.now();
    const wasRegistered = await this.database.transaction(async (tx) => {
      await this.repository.takeTurn(tx, address);
      await this.repository.takeTurnOfPass(tx, serialNumber);
      const id = await this.repository.lockDevice(tx, accountId, address);
      return id !== null && this.repository.delete(tx, { accountId, deviceId: id, serialNumber }, now);
    });
    if (wasRegistered) return;
    // Accept pass types that the account used before, so that their registrations can be deleted.
    const identity = await findSigningIdentity(this.signer, accountId);
    if (identity && identity.passTypeIdentifier !== passTypeIdentifier) throw new PassTokenRejected();
  }

  /** Returns the end of the push window that begins with a push at `at`. */
  private endOfWindow(at: Date): Date {
    const { windowSeconds } = this.options.push ?? defaultPacing;
    return new Date(at.getTime() + windowSeconds * 1000);
  }

  private async accountOf(serialNumber: string): Promise<string> {
    const accountId = await this.passes.findAccount(serialNumber);
    if (accountId === null) throw new PassTokenRejected();
    return accountId;
  }
}
