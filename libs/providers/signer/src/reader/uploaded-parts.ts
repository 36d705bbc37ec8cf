import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { CertificateRejected, type CertificateUpload } from '@passwright/core/plain';
import { readDer, tags } from '../der.js';
import { decrypt, type Encrypted } from './decryption.js';
import { isPem, type PemBlock, pemBlocks } from './pem.js';

/**
 * The maximum size of an upload. A certificate with its key and chain has about 6 KB, and exports of several
 * certificates have less than this.
 */
const MAX_SIZE_BYTES = 65_536;
const MAX_CERTIFICATES = 10;
const MAX_PRIVATE_KEYS = 5;

/** All parts found in an upload, whatever their field and order. */
export interface UploadedParts {
  readonly certificates: readonly X509Certificate[];
  readonly privateKeys: readonly KeyObject[];
  /** Certificates that the user uploaded as intermediates. */
  readonly intermediates: readonly X509Certificate[];
}

/** Opens and parses an upload. @throws CertificateRejected listing every unreadable or missing part */
export async function uploadedParts(upload: CertificateUpload): Promise<UploadedParts> {
  const reading = new Reading(upload.passphrase ?? '');
  if (upload.pkcs12) await reading.pkcs12(upload.pkcs12);
  if (upload.certificate !== undefined) await reading.certificate(upload.certificate);
  if (upload.privateKey !== undefined) await reading.text('private key', upload.privateKey);
  if (upload.intermediate !== undefined) await reading.intermediate(upload.intermediate);
  return reading.parts(upload.pkcs12 !== undefined);
}

class Reading {
  private readonly certificates: X509Certificate[] = [];
  private readonly privateKeys: KeyObject[] = [];
  private readonly intermediates: X509Certificate[] = [];
  private readonly problems: string[] = [];
  private decryptions = 0;

  constructor(private readonly passphrase: string) {}

  async pkcs12(bytes: Uint8Array): Promise<void> {
    if (this.isTooLarge('PKCS#12 file', bytes.length)) return;
    if (isPem(Buffer.from(bytes).toString('latin1'))) {
      this.problems.push('The PKCS#12 file is PEM text: hand it in as certificate and private key.');
    } else if (!isPkcs12(bytes)) {
      this.problems.push(
        'The PKCS#12 file is not a PKCS#12 file: export certificate and private key together as .p12.',
      );
    } else {
      await this.decrypted({ pkcs12: bytes, passphrase: this.passphrase });
    }
  }

  async certificate(source: string | Uint8Array): Promise<void> {
    if (this.isTooLarge('certificate', source.length)) return;
    const text = typeof source === 'string' ? source : Buffer.from(source).toString('latin1');
    if (typeof source === 'string' || isPem(text)) return this.text('certificate', text);
    if (isPkcs12(source)) {
      this.problems.push('The certificate is a PKCS#12 file: hand it in as such, with its passphrase.');
    } else {
      this.take(this.certificates, source, 'The certificate is neither PEM text nor a DER file (.cer)');
    }
  }

  async intermediate(text: string): Promise<void> {
    const before = this.certificates.length;
    await this.text('intermediate certificate', text);
    this.intermediates.push(...this.certificates.splice(before));
  }

  /** Reads PEM text from any field, because users paste chains, pairs and whole exports into every field. */
  async text(what: string, text: string): Promise<void> {
    if (this.isTooLarge(what, text.length)) return;
    const blocks = pemBlocks(text);
    if (blocks.length === 0) {
      this.problems.push(
        `The ${what} is not PEM text: it has no whole block from "-----BEGIN …-----" to "-----END …-----".`,
      );
    }
    for (const block of blocks) await this.block(what, block);
  }

  /** Returns the parts. @throws CertificateRejected when a part is missing or unreadable */
  parts(isPkcs12: boolean): UploadedParts {
    const { certificates, privateKeys, intermediates, problems } = this;
    if (problems.length === 0 && certificates.length === 0) {
      problems.push(`There is no certificate in ${isPkcs12 ? 'the PKCS#12 file' : 'what was handed in'}.`);
    }
    if (problems.length === 0 && privateKeys.length === 0) {
      problems.push(
        isPkcs12
          ? 'There is no private key in the PKCS#12 file: export the certificate together with its key ("My Certificates" in Keychain Access).'
          : 'The private key is missing: hand it in with the certificate.',
      );
    }
    if (certificates.length + intermediates.length > MAX_CERTIFICATES || privateKeys.length > MAX_PRIVATE_KEYS) {
      problems.push(
        `There are ${certificates.length + intermediates.length} certificates and ${privateKeys.length} private keys in ` +
          'what was handed in: hand in one certificate, its key and its issuer.',
      );
    }
    if (problems.length > 0) throw new CertificateRejected(problems);
    return { certificates, privateKeys, intermediates };
  }

  private async block(what: string, block: PemBlock): Promise<void> {
    if (block.label.endsWith('CERTIFICATE REQUEST')) {
      this.problems.push(
        `The ${what} is a certificate signing request: upload it in Apple's developer portal, and hand in the certificate it returns.`,
      );
    } else if (block.label.endsWith('CERTIFICATE')) {
      this.take(this.certificates, block.der, `The ${what} cannot be read`);
    } else if (block.encrypted) {
      await this.encryptedKey(block);
    } else if (block.label.endsWith('PRIVATE KEY')) {
      const type = block.label === 'RSA PRIVATE KEY' ? 'pkcs1' : block.label === 'EC PRIVATE KEY' ? 'sec1' : 'pkcs8';
      this.privateKey(block.der, type);
    }
  }

  private async encryptedKey({ text }: PemBlock): Promise<void> {
    if (!this.passphrase) this.problems.push('The private key is encrypted: hand in its passphrase.');
    // Each decryption may take seconds.
    else if (this.decryptions > 0) this.problems.push('There is more than one encrypted private key: hand in one.');
    else await this.decrypted({ privateKeyPem: text, passphrase: this.passphrase });
  }

  private async decrypted(encrypted: Encrypted): Promise<void> {
    this.decryptions++;
    try {
      const { certificates, privateKeys } = await decrypt(encrypted);
      for (const der of certificates) this.take(this.certificates, der, 'A certificate in the file cannot be read');
      for (const der of privateKeys) this.privateKey(Buffer.from(der), 'pkcs8');
    } catch (error) {
      if (!(error instanceof CertificateRejected)) throw error;
      this.problems.push(...error.problems);
    }
  }

  private take(list: X509Certificate[], der: Uint8Array, problem: string): void {
    try {
      list.push(new X509Certificate(der));
    } catch (error) {
      this.problems.push(`${problem} (${(error as Error).message}).`);
    }
  }

  private privateKey(der: Buffer, type: 'pkcs1' | 'pkcs8' | 'sec1'): void {
    try {
      this.privateKeys.push(createPrivateKey({ key: der, format: 'der', type }));
    } catch (error) {
      this.problems.push(`The private key cannot be read (${(error as Error).message}).`);
    }
  }

  private isTooLarge(what: string, size: number): boolean {
    if (size <= MAX_SIZE_BYTES) return false;
    this.problems.push(
      `The ${what} has ${size} bytes: ${MAX_SIZE_BYTES} are the most a certificate with key and chain takes.`,
    );
    return true;
  }
}

/**
 * Returns true for bytes that begin like a PKCS#12 file: SEQUENCE { INTEGER 3, … } (RFC 7292 §4). BER allows an
 * indefinite outer length.
 */
function isPkcs12(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 16));
  const lengthSize = (start[1] ?? 0) <= 0x80 ? 1 : 1 + ((start[1] ?? 0) & 0x7f);
  try {
    const [version] = readDer(start.subarray(1 + lengthSize, 1 + lengthSize + 3));
    return start[0] === tags.sequence && version?.tag === tags.integer && version.content.equals(Buffer.from([3]));
  } catch {
    return false;
  }
}
