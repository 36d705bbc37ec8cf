import type { ApplePem } from './apple-credentials.js';
import type { SigningIdentity } from './signer.js';

/** What someone hands in as a pass type certificate. */
export interface CertificateUpload {
  /** A PKCS#12 file, with modern or legacy encryption; it holds certificate and key. */
  readonly pkcs12?: Uint8Array;
  /** The certificate alone: PEM text, or the DER bytes of Apple's `.cer`. */
  readonly certificate?: string | Uint8Array;
  /** PEM text. */
  readonly privateKey?: string;
  /** Of the PKCS#12 file or of the private key. */
  readonly passphrase?: string;
  /** PEM text; when left out, the bundled Apple WWDR certificate that issued it. */
  readonly intermediate?: string;
}

/** A certificate that can be used, with the key as plain PEM text. */
export interface ReadCertificate extends ApplePem, SigningIdentity {}

/** Reads and checks what people hand in as pass type certificates, and makes requests for new ones. */
export abstract class CertificateReader {
  /**
   * The caller bounds how many are read at a time: an encrypted one may take 15 seconds of a core.
   * @param now what its dates are judged by
   * @throws CertificateRefused with everything that is wrong, in words
   */
  abstract read(upload: CertificateUpload, now: Date): Promise<ReadCertificate>;

  /** A new RSA 2048 key and the certificate signing request to upload in Apple's developer portal, both PEM text. */
  abstract createRequest(commonName: string): Promise<{ readonly privateKeyPem: string; readonly requestPem: string }>;
}

/** What was handed in cannot be used as a pass type certificate. */
export class CertificateRefused extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('; '));
    this.name = 'CertificateRefused';
  }
}
