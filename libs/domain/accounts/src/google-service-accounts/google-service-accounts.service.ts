import { Injectable } from '@nestjs/common';
import { Clock, GoogleWallet, WalletUnavailable, type GoogleServiceAccount } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import { changesBetween } from '../audit/changes-between.js';
import { SealedKeys } from '../sealed-keys/sealed-keys.js';
import { CachedServiceAccounts } from './cached-service-accounts.js';
import type { GoogleServiceAccountCheck, GoogleServiceAccountUpload } from './google-service-account.dto.js';
import { IssuerDiffers, NoGoogleServiceAccount } from './google-service-accounts.errors.js';
import { GoogleServiceAccountChanged } from './google-service-accounts.jobs.js';
import { GoogleServiceAccountsRepository } from './google-service-accounts.repository.js';
import { readKeyFile } from './key-file.js';
import type { StoredServiceAccount } from './stored-service-account.entity.js';

/** How long a node may go on with the credential of before; the work that follows a change begins after it. */
const SEEN_EVERYWHERE_MS = 1000;

/** The issuers and service accounts that accounts write their passes at Google with. */
@Injectable()
export class GoogleServiceAccountsService {
  constructor(
    private readonly repository: GoogleServiceAccountsRepository,
    private readonly serviceAccounts: CachedServiceAccounts,
    private readonly keys: SealedKeys,
    private readonly google: GoogleWallet,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * Writes the account's passes with it from now on, on every node within a second. It is kept also when Google refuses
   * it now: an invitation takes minutes there, and Google may be out of reach.
   * @returns what Google said. @throws ValidationFailed with everything that is wrong with it. @throws IssuerDiffers
   */
  async save(accountId: string, upload: GoogleServiceAccountUpload): Promise<GoogleServiceAccountCheck> {
    const serviceAccount = readKeyFile(upload.issuerId, upload.serviceAccount);
    const row = this.toRow(accountId, serviceAccount);
    // Before the transaction, which may be one of a kept answer: no database waits for Google.
    const check = await this.check(serviceAccount);
    await this.database.transaction(async (tx) => {
      await this.repository.lockAccount(tx, accountId);
      const before = await this.repository.findForChange(tx, accountId);
      const isNewIssuer = before?.issuerId !== row.issuerId;
      if (isNewIssuer && !upload.replaceIssuer) await this.requireNothingElsewhere(tx, accountId, row.issuerId);
      await this.repository.upsert(tx, row);
      if (before && this.isSame(before, serviceAccount)) return;
      await this.tellOfChange(tx, accountId);
      await this.record(tx, 'googleServiceAccount.saved', accountId, before, row);
    });
    this.serviceAccounts.expire(accountId);
    return check;
  }

  /** Goes back to the operator's. @throws NoGoogleServiceAccount */
  async remove(accountId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.repository.lockAccount(tx, accountId);
      const before = await this.repository.findForChange(tx, accountId);
      if (!before || !(await this.repository.delete(tx, accountId))) throw new NoGoogleServiceAccount();
      await this.tellOfChange(tx, accountId);
      await this.record(tx, 'googleServiceAccount.removed', accountId, before, null);
    });
    this.serviceAccounts.expire(accountId);
  }

  private async requireNothingElsewhere(tx: EntityManager, accountId: string, issuerId: string): Promise<void> {
    const present = await this.repository.findOtherIssuer(tx, accountId, issuerId);
    if (present !== null) throw new IssuerDiffers(present, issuerId);
  }

  /** The key by its id alone, which Google's console shows too. */
  private async record(
    tx: EntityManager,
    action: string,
    accountId: string,
    before: StoredServiceAccount | null,
    after: StoredServiceAccount | null,
  ): Promise<void> {
    const shown = (row: StoredServiceAccount | null) => ({ issuerId: row?.issuerId, privateKeyId: row?.privateKeyId });
    const changes = changesBetween(shown(before), shown(after));
    await this.trail.record(tx, { accountId, action, target: { kind: 'googleServiceAccount' }, ...changes });
  }

  private async tellOfChange(tx: EntityManager, accountId: string): Promise<void> {
    const runAt = new Date(this.clock.now().getTime() + SEEN_EVERYWHERE_MS);
    await this.jobs.add(tx, new GoogleServiceAccountChanged({ accountId }, runAt));
  }

  private async check(serviceAccount: GoogleServiceAccount): Promise<GoogleServiceAccountCheck> {
    try {
      const problem = await this.google.check(serviceAccount);
      return { works: problem === null, problem };
    } catch (error) {
      if (!(error instanceof WalletUnavailable)) throw error;
      return { works: false, problem: error.message };
    }
  }

  private isSame(before: StoredServiceAccount, now: GoogleServiceAccount): boolean {
    const key = this.keys.open(before.accountId, 'google-service-account', before.privateKey);
    return (
      before.issuerId === now.issuerId &&
      before.clientEmail === now.clientEmail &&
      'privateKeyPem' in key &&
      key.privateKeyPem === now.privateKeyPem
    );
  }

  private toRow(accountId: string, serviceAccount: GoogleServiceAccount): StoredServiceAccount {
    const { issuerId, clientEmail, privateKeyId = null, privateKeyPem } = serviceAccount;
    const privateKey = this.keys.seal(accountId, 'google-service-account', privateKeyPem);
    return { accountId, issuerId, clientEmail, privateKeyId, privateKey, uploadedAt: this.clock.now() };
  }
}
