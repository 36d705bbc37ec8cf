import type { SigningIdentity } from './signer.js';

/** A pass type certificate with its private key and its issuer, as PEM text. */
export interface ApplePem {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  /** The passphrase of an encrypted private key. */
  readonly passphrase?: string;
  readonly intermediatePem: string;
}

/** The certificate and key that sign an account's passes and identify the sender to the push service. */
export interface AppleCredential extends SigningIdentity, ApplePem {}

/** Finds the credential of an account: its own, else the operator's. The only access to private keys. */
export abstract class AppleCredentials {
  /**
   * Returns the account's credential. Every node sees a change within a second or two. Returns the same object while
   * the credential is the same, so callers can use it as a cache key. @throws WalletUnavailable when it is missing or
   * outside its dates
   */
  abstract of(accountId: string): Promise<AppleCredential>;
}

/** The certificates that accounts have uploaded. */
export abstract class AccountCertificates {
  /** @returns null when the account has none */
  abstract find(accountId: string): Promise<ApplePem | null>;
}
