import type { ApplePem } from '@passwright/core/plain';

/** A pass type certificate from Apple's developer portal, with its key and the WWDR certificate that issued it. */
export interface CertificateIdentity extends ApplePem {
  readonly kind: 'certificate';
}

/** A chain created on this machine at first use. OpenSSL verifies its signatures; phones reject them. */
export interface DevelopmentIdentity {
  readonly kind: 'development';
  /** The chain's own folder, created with its parents if missing. */
  readonly dir: string;
  /** The pass type identifier. Default: `pass.dev.passwright`. */
  readonly passTypeIdentifier?: string;
  /** The team identifier. Default: `DEV0TEAM01`. */
  readonly teamIdentifier?: string;
  /** The name of the organisation. Default: `Passwright Development`. */
  readonly organizationName?: string;
}

/** The options of `SignerModule.forRoot`. */
export abstract class SignerOptions {
  abstract readonly identity: CertificateIdentity | DevelopmentIdentity;
  /**
   * Signs the passes of test accounts if `identity` is a certificate. If omitted, test accounts have no Apple packages.
   */
  readonly testIdentity?: DevelopmentIdentity;
}
