import { type KeyObject, sign, verify, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import {
  CertificateReader,
  CertificateRejected,
  type CertificateUpload,
  type ReadCertificate,
} from '@passwright/core/plain';
import { bundledIntermediates } from '../apple-certificates.js';
import { toCredential } from '../apple-credential.js';
import { issued } from '../certificate-der.js';
import {
  appleOids,
  chainProblems,
  dateProblems,
  keyProblems,
  missingIntermediate,
  ownerProblems,
  validity,
} from '../certificate-problems.js';
import { certificateRequest } from './certificate-request.js';
import { isSoundRsaKey } from './rsa-key.js';
import { uploadedParts, type UploadedParts } from './uploaded-parts.js';

interface Pair {
  readonly certificate: X509Certificate;
  readonly privateKey: KeyObject;
}

/** Reads certificates with OpenSSL through `node:crypto`, and PKCS#12 with node-forge in its own thread. */
export class X509CertificateReader extends CertificateReader {
  /** @param bundled intermediates that users need not upload */
  constructor(private readonly bundled: readonly X509Certificate[] = bundledIntermediates) {
    super();
  }

  override async read(upload: CertificateUpload, now: Date): Promise<ReadCertificate> {
    const parts = await uploadedParts(upload);
    try {
      return await this.checked(parts, now);
    } catch (error) {
      if (error instanceof CertificateRejected) throw error;
      // A certificate that can be parsed may still contain invalid fields.
      throw new CertificateRejected([`The certificate cannot be read (${(error as Error).message}).`]);
    }
  }

  override createRequest(commonName: string): Promise<{ readonly privateKeyPem: string; readonly requestPem: string }> {
    return certificateRequest(commonName);
  }

  private async checked(parts: UploadedParts, now: Date): Promise<ReadCertificate> {
    const { certificate, privateKey } = chosenPair(parts, now);
    const intermediate = intermediateOf(certificate, parts, this.bundled);
    const problems = [
      ...ownerProblems(certificate),
      ...keyProblems(certificate, privateKey),
      ...(intermediate ? chainProblems(certificate, intermediate) : [missingIntermediate(certificate, this.bundled)]),
      ...dateProblems('The certificate', certificate, now),
      ...(intermediate ? dateProblems('The intermediate certificate', intermediate, now) : []),
    ];
    if (problems.length === 0 && !(await signsFor(certificate, privateKey))) {
      problems.push('The private key is damaged: what it signs does not verify.');
    }
    if (!intermediate || problems.length > 0) throw new CertificateRejected(problems);
    return toCredential({ certificate, intermediate, privateKey });
  }
}

/** Returns the best certificate with its key. Prefers pass type certificates, then valid ones, then the newest. */
function chosenPair({ certificates, privateKeys }: UploadedParts, now: Date): Pair {
  const all = certificates.flatMap((certificate) => privateKeys.map((privateKey) => ({ certificate, privateKey })));
  const best = all
    .map((pair) => ({ pair, rank: rank(pair, now) }))
    .reduce((one, other) => (isBefore(other.rank, one.rank) ? other : one));
  return best.pair;
}

/** Returns values to sort by, compared from left to right; higher is better. */
function rank({ certificate, privateKey }: Pair, now: Date): number[] {
  const { from, to } = validity(certificate);
  return [
    Number(certificate.checkPrivateKey(privateKey)),
    Number(certificate.keyUsage?.includes(appleOids.passSigning) ?? false),
    Number(!certificate.ca),
    Number(from <= now && now <= to),
    to.getTime(),
  ];
}

function isBefore(one: readonly number[], other: readonly number[]): boolean {
  for (const [index, value] of one.entries()) {
    const against = other[index] ?? 0;
    if (value !== against) return value > against;
  }
  return false;
}

/**
 * Returns the uploaded intermediate. Without one, returns the certificate's issuer from the uploaded file or from the
 * bundled intermediates.
 */
function intermediateOf(
  certificate: X509Certificate,
  parts: UploadedParts,
  bundled: readonly X509Certificate[],
): X509Certificate | null {
  const { certificates, intermediates } = parts;
  const offered = intermediates.length > 0 ? intermediates : [...certificates, ...bundled];
  return offered.find((issuer) => issued(issuer, certificate)) ?? intermediates[0] ?? null;
}

/**
 * Checks with a test signature that a private key belongs to a certificate. The public keys may match even if the
 * private key is damaged.
 */
async function signsFor({ publicKey }: X509Certificate, privateKey: KeyObject): Promise<boolean> {
  if (!isSoundRsaKey(privateKey)) return false;
  const sample = Buffer.from('sample');
  try {
    return verify('sha256', sample, publicKey, await promisify(sign)('sha256', sample, privateKey));
  } catch {
    return false;
  }
}
