import type { SigningIdentity } from './signer.js';

/** A pass type certificate, its private key and the certificate of its issuer, as PEM text. */
export interface ApplePem {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  /** The passphrase of an encrypted private key. */
  readonly passphrase?: string;
  readonly intermediatePem: string;
}

/** The certificate and key that sign an account's passes and identify the sender to the push service. */
export interface AppleCredential extends SigningIdentity, ApplePem {}

/**
 * Finds the credential of an account: its own, or else the operator's. The service reads private keys only through this
 * class.
 */
export abstract class AppleCredentials {
  /**
   * Returns the account's credential. Every node sees a change within two seconds. Returns the same object until the
   * credential changes, so callers can use it as a cache key. @throws WalletUnavailable if the certificate is missing,
   * not yet valid or expired
   */
  abstract of(accountId: string): Promise<AppleCredential>;
}

/** The certificates that accounts have uploaded. */
export abstract class AccountCertificates {
  /** Finds the certificate of an account. @returns null if the account has none */
  abstract find(accountId: string): Promise<ApplePem | null>;
}
