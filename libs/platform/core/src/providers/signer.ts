/** The identity that signs passes, from the pass type certificate. */
export interface SigningIdentity {
  readonly passTypeIdentifier: string;
  readonly teamIdentifier: string;
  readonly organizationName: string;
  /** SHA-256 of the leaf certificate's DER, lower-case hex. */
  readonly fingerprint: string;
  readonly expiresAt: Date;
  /**
   * True for the development certificate chain. Phones reject its signatures, and every response with such a pass says
   * so in a header.
   */
  readonly development: boolean;
}

/** Signs Apple Wallet manifests for an account, wherever its key is stored. */
export abstract class Signer {
  /**
   * Returns the account's signing identity. @throws WalletUnavailable if the certificate is missing, not yet valid or
   * expired
   */
  abstract identity(accountId: string): Promise<SigningIdentity>;

  /** Signs a manifest. @returns a detached PKCS#7 signature in DER. @throws WalletUnavailable */
  abstract sign(accountId: string, manifest: Uint8Array): Promise<Uint8Array>;
}
