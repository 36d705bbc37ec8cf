import type { ApplePem } from './apple-credentials.js';
import type { SigningIdentity } from './signer.js';

/** An upload of a pass type certificate. */
export interface CertificateUpload {
  /** A PKCS#12 file with certificate and key, in modern or legacy encryption. */
  readonly pkcs12?: Uint8Array;
  /** The certificate alone: PEM text, or the DER bytes of Apple's `.cer`. */
  readonly certificate?: string | Uint8Array;
  /** PEM text. */
  readonly privateKey?: string;
  /** The passphrase of the PKCS#12 file or of the private key. */
  readonly passphrase?: string;
  /** PEM text. Default: the bundled Apple WWDR certificate that issued the pass type certificate. */
  readonly intermediate?: string;
}

/** A usable certificate with its key as plain PEM text. */
export interface ReadCertificate extends ApplePem, SigningIdentity {}

/** Reads and checks uploaded pass type certificates, and creates requests for new ones. */
export abstract class CertificateReader {
  /**
   * Reads an upload. The caller limits concurrent calls, because an encrypted upload may use a core for 15 seconds.
   * @param now the time at which the certificate must be valid
   * @throws CertificateRejected with everything that is wrong
   */
  abstract read(upload: CertificateUpload, now: Date): Promise<ReadCertificate>;

  /**
   * Creates an RSA 2048 key and the certificate signing request to upload in Apple's developer portal, both PEM text.
   */
  abstract createRequest(commonName: string): Promise<{ readonly privateKeyPem: string; readonly requestPem: string }>;
}

/** The upload is not a usable pass type certificate. */
export class CertificateRejected extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('; '));
    this.name = 'CertificateRefused';
  }
}
