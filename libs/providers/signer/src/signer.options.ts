import type { ApplePem } from '@passwright/core/plain';

/** A pass type certificate from Apple's developer portal, with its key and the WWDR certificate that issued it. */
export interface CertificateIdentity extends ApplePem {
  readonly kind: 'certificate';
}

/** A chain made on this machine at first use: OpenSSL verifies what it signs, phones refuse it. */
export interface DevelopmentIdentity {
  readonly kind: 'development';
  /** The chain's own folder; it and the folders above it are made when missing. */
  readonly dir: string;
  /** Default `pass.dev.passwright`. */
  readonly passTypeIdentifier?: string;
  /** Default `DEV0TEAM01`. */
  readonly teamIdentifier?: string;
  /** Default `Passwright Development`. */
  readonly organizationName?: string;
}

/** What `SignerModule.forRoot` takes. */
export abstract class SignerOptions {
  abstract readonly identity: CertificateIdentity | DevelopmentIdentity;
}
