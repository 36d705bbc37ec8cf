import { Injectable } from '@nestjs/common';
import {
  AccountServiceAccounts,
  Clock,
  WalletUnavailable,
  type GoogleServiceAccount,
  EncryptedSecrets,
} from '@passwright/core';
import { CachedCredentials } from '../encrypted-secrets/cached-credentials.js';
import { GoogleServiceAccountsRepository, type EncryptedServiceAccount } from './google-service-accounts.repository.js';

/** Caches the accounts' own service accounts. A change on any node takes effect within a second. */
@Injectable()
export class ServiceAccountsCache extends AccountServiceAccounts {
  private readonly cached: CachedCredentials<EncryptedServiceAccount, GoogleServiceAccount>;

  constructor(repository: GoogleServiceAccountsRepository, keys: EncryptedSecrets, clock: Clock) {
    super();
    this.cached = new CachedCredentials(
      {
        purpose: 'google-service-account',
        findEncrypted: (accountId) => repository.findEncrypted(accountId),
        opened: toServiceAccount,
      },
      keys,
      clock,
    );
  }

  /** @throws WalletUnavailable if the service account's key cannot be decrypted */
  async find(accountId: string): Promise<GoogleServiceAccount | null> {
    const found = await this.cached.find(accountId);
    if (!found) return null;
    if ('credential' in found) return found.credential;
    throw new WalletUnavailable(
      `The account's Google service account cannot be used: its private key ${found.problem}. ` +
        'The operator has to put that master key back, or an admin brings the service account again.',
    );
  }

  /** Makes the next look-up read the database. */
  expire(accountId: string): void {
    this.cached.expire(accountId);
  }
}

function toServiceAccount(encrypted: EncryptedServiceAccount, privateKeyPem: string): GoogleServiceAccount {
  const { issuerId, clientEmail, privateKeyId } = encrypted;
  return { issuerId, clientEmail, privateKeyPem, ...(privateKeyId !== null && { privateKeyId }) };
}
