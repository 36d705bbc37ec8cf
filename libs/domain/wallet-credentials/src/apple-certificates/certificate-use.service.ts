import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AccountsService } from '@passwright/accounts';
import { Listeners, type ReadCertificate } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { AppleCertificateListener, type PushHalt } from './apple-certificate.listener.js';
import type { AppleCertificate } from './apple-certificate.entity.js';
import { AppleCertificateInUse, PassTypeDiffers } from './apple-certificates.errors.js';
import type { ShownCertificate } from './certificate-description.js';
import { OperatorIdentityService } from './operator-identity.service.js';

/** How an account's certificate is in use, as the listeners know it, and which changes that allows. */
@Injectable()
export class CertificateUseService {
  private readonly listeners: Listeners<AppleCertificateListener>;

  constructor(
    private readonly accounts: AccountsService,
    private readonly operator: OperatorIdentityService,
    discovery: DiscoveryService,
  ) {
    this.listeners = new Listeners(discovery, AppleCertificateListener);
  }

  /**
   * Lets one change of an account's certificate through at a time, and no device register meanwhile: its row refers to
   * the account's, so that what is registered is counted exactly.
   */
  lock(tx: EntityManager, accountId: string): Promise<void> {
    return this.accounts.lockOutReferences(tx, accountId);
  }

  /** Returns the certificate of accounts that have brought none; null when it has been unusable since the start. */
  async operatorCertificate(): Promise<ShownCertificate | null> {
    return (await this.operator.current()).identity;
  }

  /** Finds what halts the pushes of this account, or of all accounts, with the certificate. */
  async findPushHalt(accountId: string, fingerprint: string): Promise<PushHalt | null> {
    for (const listener of this.listeners.all) {
      const halt = await listener.findPushHalt(accountId, fingerprint);
      if (halt) return halt;
    }
    return null;
  }

  /** Under `lock`. @throws AppleCertificateInUse */
  async requireUnused(tx: EntityManager, { accountId, passTypeIdentifier }: AppleCertificate): Promise<void> {
    let devices = 0;
    for (const listener of this.listeners.all) {
      devices += await listener.countDevices(tx, accountId, passTypeIdentifier);
    }
    if (devices > 0) throw new AppleCertificateInUse(passTypeIdentifier, devices);
  }

  /** Under `lock`, for an account without a certificate of its own. @throws PassTypeDiffers */
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
