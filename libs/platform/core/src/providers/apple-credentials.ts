import type { SigningIdentity } from './signer.js';

/** A pass type certificate with its private key and its issuer, as PEM text. */
export interface ApplePem {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  /** Of an encrypted private key. */
  readonly passphrase?: string;
  readonly intermediatePem: string;
}

/** What an account's passes are signed with, and what the push service knows the sender by. */
export interface AppleCredential extends SigningIdentity, ApplePem {}

/** Which credential an account uses: its own, else the operator's. The one way to private keys. */
export abstract class AppleCredentials {
  /**
   * A change on any node is seen within a second or two. The same object as long as it is the same credential, so that
   * what is made of it can be kept by it. @throws WalletUnavailable when there is none, or it is out of date
   */
  abstract of(accountId: string): Promise<AppleCredential>;
}

/** The certificates that accounts have brought themselves. */
export abstract class AccountCertificates {
  /** @returns null when the account has none */
  abstract find(accountId: string): Promise<ApplePem | null>;
}
