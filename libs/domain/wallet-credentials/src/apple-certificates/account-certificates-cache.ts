import { Injectable } from '@nestjs/common';
import { AccountCertificates, Clock, WalletUnavailable, type ApplePem, EncryptedSecrets } from '@passwright/core';
import { CachedCredentials, type FoundCredential } from '../encrypted-secrets/cached-credentials.js';
import { AppleCertificatesRepository, type EncryptedCertificate } from './apple-certificates.repository.js';

/** Caches the accounts' own certificates. A change on any node takes effect within a second. */
@Injectable()
export class AccountCertificatesCache extends AccountCertificates {
  private readonly cached: CachedCredentials<EncryptedCertificate, ApplePem>;

  constructor(repository: AppleCertificatesRepository, keys: EncryptedSecrets, clock: Clock) {
    super();
    this.cached = new CachedCredentials(
      {
        purpose: 'apple-certificate',
        findEncrypted: (accountId) => repository.findEncrypted(accountId),
        opened: ({ certificatePem, intermediatePem }: EncryptedCertificate, privateKeyPem): ApplePem => ({
          certificatePem,
          intermediatePem,
          privateKeyPem,
        }),
      },
      keys,
      clock,
    );
  }

  /** @throws WalletUnavailable if the certificate's key cannot be decrypted */
  find(accountId: string): Promise<ApplePem | null> {
    return this.cached.find(accountId).then((found) => found && usable(found));
  }

  /** Makes the next look-up read the database. */
  expire(accountId: string): void {
    this.cached.expire(accountId);
  }
}

function usable(found: FoundCredential<ApplePem>): ApplePem {
  if ('credential' in found) return found.credential;
  throw new WalletUnavailable(
    `The account's Apple Wallet certificate cannot be used: its private key ${found.problem}. ` +
      'The operator has to put that master key back, or an admin brings the certificate with its key again.',
  );
}
