import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AccountsService } from '@passwright/accounts';
import { Listeners } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { GoogleIssuerListener, type GoogleHalt } from './google-issuer.listener.js';
import { IssuerDiffers } from './google-service-accounts.errors.js';

/** How an account's issuer is in use, as the listeners know it, and which changes that allows. */
@Injectable()
export class IssuerUseService {
  private readonly listeners: Listeners<GoogleIssuerListener>;

  constructor(
    private readonly accounts: AccountsService,
    discovery: DiscoveryService,
  ) {
    this.listeners = new Listeners(discovery, GoogleIssuerListener);
  }

  /** Lets one change of an account's credential through at a time, and no resource be added meanwhile: its row refers to the account's. */
  lock(tx: EntityManager, accountId: string): Promise<void> {
    return this.accounts.lockOutReferences(tx, accountId);
  }

  /** Finds what halts the writes of this account, or of all accounts, with the credential. */
  async findHalt(accountId: string, fingerprint: string): Promise<GoogleHalt | null> {
    for (const listener of this.listeners.all) {
      const halt = await listener.findHalt(accountId, fingerprint);
      if (halt) return halt;
    }
    return null;
  }

  /** Under `lock`. @throws IssuerDiffers */
  async requireNothingElsewhere(tx: EntityManager, accountId: string, issuerId: string): Promise<void> {
    for (const listener of this.listeners.all) {
      const present = await listener.findOtherIssuer(tx, accountId, issuerId);
      if (present !== null) throw new IssuerDiffers(present, issuerId);
    }
  }
}
