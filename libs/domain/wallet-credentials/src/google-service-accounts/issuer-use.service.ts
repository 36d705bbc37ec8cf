import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AccountsService } from '@passwright/accounts';
import { Listeners, TestAccounts } from '@passwright/core';
import type { Circuit } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { TestAccountCredentials } from '../test-account-credentials.errors.js';
import { GoogleIssuerListener } from './google-issuer.listener.js';
import { IssuerDiffers } from './google-service-accounts.errors.js';

/** Asks listeners how an account uses its issuer, and rejects changes that would break passes at Google. */
@Injectable()
export class IssuerUseService {
  private readonly listeners: Listeners<GoogleIssuerListener>;

  constructor(
    private readonly accounts: AccountsService,
    private readonly testAccounts: TestAccounts,
    discovery: DiscoveryService,
  ) {
    this.listeners = new Listeners(discovery, GoogleIssuerListener);
  }

  /** @throws TestAccountCredentials */
  async requireLive(accountId: string): Promise<void> {
    if (await this.testAccounts.has(accountId)) throw new TestAccountCredentials();
  }

  /**
   * Locks the account until `tx` ends. Meanwhile, no other transaction can change the account's credential or add a
   * Google resource, because the row of a resource has a foreign key to the account.
   */
  lock(tx: EntityManager, accountId: string): Promise<void> {
    return this.accounts.lockOutReferences(tx, accountId);
  }

  /**
   * Returns the open circuit of writes with this credential, for this account or for all accounts; null if there is
   * none.
   */
  async findCircuit(accountId: string, fingerprint: string): Promise<Circuit | null> {
    for (const listener of this.listeners.all) {
      const circuit = await listener.findCircuit(accountId, fingerprint);
      if (circuit) return circuit;
    }
    return null;
  }

  /**
   * Rejects a change of the issuer if passes at Google belong to another issuer. Call `lock` first. @throws
   * IssuerDiffers
   */
  async requireNothingElsewhere(tx: EntityManager, accountId: string, issuerId: string): Promise<void> {
    for (const listener of this.listeners.all) {
      const present = await listener.findOtherIssuer(tx, accountId, issuerId);
      if (present !== null) throw new IssuerDiffers(present, issuerId);
    }
  }
}
