import { Injectable } from '@nestjs/common';
import {
  Clock,
  GoogleWallet,
  WalletUnavailable,
  type GoogleServiceAccount,
  EncryptedSecrets,
  type IfMatch,
} from '@passwright/core';
import { Database } from '@passwright/database';
import { ServiceAccountsCache } from './service-accounts-cache.js';
import type { GoogleServiceAccountCheck, GoogleServiceAccountUpload } from './google-service-account.dto.js';
import { NoGoogleServiceAccount } from './google-service-accounts.errors.js';
import { GoogleServiceAccountsRepository } from './google-service-accounts.repository.js';
import { requireServiceAccount } from './issuer-overview.service.js';
import { IssuerUseService } from './issuer-use.service.js';
import { readKeyFile } from './key-file.js';
import { ServiceAccountChangesService } from './service-account-changes.service.js';
import type { StoredServiceAccount } from './stored-service-account.entity.js';

/** Manages the issuers and service accounts that accounts use at Google. */
@Injectable()
export class GoogleServiceAccountsService {
  constructor(
    private readonly repository: GoogleServiceAccountsRepository,
    private readonly serviceAccounts: ServiceAccountsCache,
    private readonly keys: EncryptedSecrets,
    private readonly google: GoogleWallet,
    private readonly database: Database,
    private readonly changes: ServiceAccountChangesService,
    private readonly use: IssuerUseService,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores the service account. Every node writes the account's passes with it within a second. Stores it even if
   * Google rejects it now, because an invitation at Google takes effect only after minutes.
   * @returns the result of the test.
   * @throws ValidationFailed with all problems of the upload.
   * @throws IssuerDiffers.
   * @throws TestAccountCredentials.
   * @throws PreconditionFailed
   */
  async save(
    accountId: string,
    upload: GoogleServiceAccountUpload,
    ifMatch: IfMatch = null,
  ): Promise<GoogleServiceAccountCheck> {
    await this.use.requireLive(accountId);
    const serviceAccount = readKeyFile(upload.issuerId, upload.serviceAccount);
    const row = this.toRow(accountId, serviceAccount);
    // Call Google before any transaction begins, so that no transaction waits for Google.
    const check = await this.check(serviceAccount);
    await this.database.transaction(async (tx) => {
      await this.use.lock(tx, accountId);
      const before = await this.repository.findForChange(tx, accountId);
      requireServiceAccount(ifMatch, before);
      const isNewIssuer = before?.issuerId !== row.issuerId;
      if (isNewIssuer && !upload.replaceIssuer) await this.use.requireNothingElsewhere(tx, accountId, row.issuerId);
      await this.repository.upsert(tx, row);
      if (before && this.isSame(before, serviceAccount)) return;
      await this.changes.saved(tx, before, row);
    });
    this.serviceAccounts.expire(accountId);
    return check;
  }

  /**
   * Removes the account's service account, so that the operator's service account applies again. @throws
   * NoGoogleServiceAccount, PreconditionFailed
   */
  async remove(accountId: string, ifMatch: IfMatch = null): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.use.lock(tx, accountId);
      const before = await this.repository.findForChange(tx, accountId);
      if (before) requireServiceAccount(ifMatch, before);
      if (!before || !(await this.repository.delete(tx, accountId))) throw new NoGoogleServiceAccount();
      await this.changes.removed(tx, before);
    });
    this.serviceAccounts.expire(accountId);
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
    const privateKey = this.keys.encrypt(accountId, 'google-service-account', privateKeyPem);
    return { accountId, issuerId, clientEmail, privateKeyId, privateKey, uploadedAt: this.clock.now() };
  }
}
