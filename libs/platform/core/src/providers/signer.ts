/** Who signs: read from the pass type certificate. */
export interface SigningIdentity {
  readonly passTypeIdentifier: string;
  readonly teamIdentifier: string;
  readonly organizationName: string;
  /** SHA-256 of the leaf certificate's DER, lower-case hex. */
  readonly fingerprint: string;
  readonly expiresAt: Date;
  /** Made by the development chain: phones refuse what it signs, and every answer that hands it out says so. */
  readonly development: boolean;
}

/** Signs Apple Wallet manifests for an account, whoever holds the key. */
export abstract class Signer {
  /** @throws WalletUnavailable when the certificate is missing or out of date */
  abstract identity(accountId: string): Promise<SigningIdentity>;

  /** @returns a detached PKCS#7 signature over `manifest`, DER bytes. @throws WalletUnavailable */
  abstract sign(accountId: string, manifest: Uint8Array): Promise<Uint8Array>;
}
