import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AccountsService } from '@passwright/accounts';
import { Listeners, type ReadCertificate, TestAccounts } from '@passwright/core';
import type { Circuit } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { AppleCertificateListener } from './apple-certificate.listener.js';
import type { AppleCertificate } from './apple-certificate.entity.js';
import { AppleCertificateInUse, PassTypeDiffers } from './apple-certificates.errors.js';
import type { ShownCertificate } from './certificate-description.js';
import { TestAccountCredentials } from '../test-account-credentials.errors.js';
import { OperatorIdentityService } from './operator-identity.service.js';

/** Asks listeners how an account uses its certificate, and rejects changes that would break installed passes. */
@Injectable()
export class CertificateUseService {
  private readonly listeners: Listeners<AppleCertificateListener>;

  constructor(
    private readonly accounts: AccountsService,
    private readonly operator: OperatorIdentityService,
    private readonly testAccounts: TestAccounts,
    discovery: DiscoveryService,
  ) {
    this.listeners = new Listeners(discovery, AppleCertificateListener);
  }

  /** @throws TestAccountCredentials */
  async requireLive(accountId: string): Promise<void> {
    if (await this.testAccounts.has(accountId)) throw new TestAccountCredentials();
  }

  /**
   * Locks the account, so that only one change of its certificate runs at a time. Meanwhile, no device can register,
   * because the row of a device has a foreign key to the account.
   */
  lock(tx: EntityManager, accountId: string): Promise<void> {
    return this.accounts.lockOutReferences(tx, accountId);
  }

  /**
   * Returns the operator's certificate, for accounts without their own; null if it has been unusable since the start.
   */
  async operatorCertificate(): Promise<ShownCertificate | null> {
    return (await this.operator.current()).identity;
  }

  /**
   * Returns the open circuit of pushes with this certificate, for this account or for all accounts; null if there is
   * none.
   */
  async findCircuit(accountId: string, fingerprint: string): Promise<Circuit | null> {
    for (const listener of this.listeners.all) {
      const circuit = await listener.findCircuit(accountId, fingerprint);
      if (circuit) return circuit;
    }
    return null;
  }

  /** Call `lock` first. @throws AppleCertificateInUse if devices are registered for passes of the certificate */
  async requireUnused(tx: EntityManager, { accountId, passTypeIdentifier }: AppleCertificate): Promise<void> {
    let devices = 0;
    for (const listener of this.listeners.all) {
      devices += await listener.countDevices(tx, accountId, passTypeIdentifier);
    }
    if (devices > 0) throw new AppleCertificateInUse(passTypeIdentifier, devices);
  }

  /**
   * Rejects the first certificate of an account if devices have passes of another pass type. Call `lock` first. @throws
   * PassTypeDiffers
   */
  async requireNoOtherPasses(tx: EntityManager, accountId: string, certificate: ReadCertificate): Promise<void> {
    for (const listener of this.listeners.all) {
      const present = await listener.findOtherPassType(tx, accountId, certificate.passTypeIdentifier);
      if (present === null) continue;
      throw new PassTypeDiffers(
        present,
        certificate.passTypeIdentifier,
        'for a pass type of your own, issue the passes in a new account that has its certificate from the start.',
      );
    }
  }
}
