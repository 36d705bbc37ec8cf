import { createHash, verify, type X509Certificate } from 'node:crypto';
import { certificateChain } from './certificate-chain.js';
import { readCertificate, type PassCertificate } from './pass-certificate.js';
import { readSignedData, type SignedData, type SignerInfo } from './signed-data.js';

const ID_DATA = '1.2.840.113549.1.7.1';
const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const SIGNING_TIME = '1.2.840.113549.1.9.5';

const digests: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** The digest of each signature algorithm; null if the SignerInfo's digest algorithm applies. */
const signatureDigests: Readonly<Record<string, string | null>> = {
  '1.2.840.113549.1.1.1': null,
  '1.2.840.113549.1.1.5': 'sha1',
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
};

/** The result of checking the `signature` file. `signer` is null if the signature is unreadable. */
export interface SignatureVerdict {
  readonly problems: readonly string[];
  readonly signer: PassCertificate | null;
  readonly signedAt: Date | null;
}

/**
 * Checks a detached CMS signature over `manifest.json` and its certificate chain at the time of signing, like a phone.
 * Without roots, accepts any chain inside the signature. Never throws.
 * @see https://developer.apple.com/documentation/walletpasses/building-a-pass
 */
export function judgeSignature(
  signature: Uint8Array,
  manifest: Uint8Array,
  roots: readonly X509Certificate[],
): SignatureVerdict {
  try {
    const signed = readSignedData(signature);
    const [info] = signed.signers;
    if (!info || signed.signers.length > 1) throw new Error(`it has ${signed.signers.length} signers instead of one`);
    const certificates = signed.certificates.map(readCertificate);
    const signer = certificates.find(info.isSigner);
    if (!signer) throw new Error("the signer's certificate is not inside");
    return judge(signed, info, { signer, certificates, roots }, manifest);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { problems: [problem], signer: null, signedAt: null };
  }
}

interface Chain {
  readonly signer: PassCertificate;
  readonly certificates: readonly PassCertificate[];
  readonly roots: readonly X509Certificate[];
}

function judge(signed: SignedData, info: SignerInfo, chain: Chain, manifest: Uint8Array): SignatureVerdict {
  const { signer, certificates, roots } = chain;
  const problems: string[] = [];
  if (signed.contentType !== ID_DATA) problems.push('what it signs is not of the type id-data');
  if (signed.hasContent) problems.push('it is not detached: it holds content of its own');
  if (!signed.digestAlgorithms.includes(info.digestAlgorithm)) {
    problems.push("its digest algorithms leave out the signer's");
  }
  problems.push(...attributeProblems(info, manifest));
  if (!isSigned(info, signer.x509)) problems.push('it does not verify with the key of its signer');
  const { validFrom, validTo, problems: chainProblems } = certificateChain(signer, certificates, roots);
  problems.push(...chainProblems);
  const signedAt = timeOf(info);
  if (!signedAt) problems.push('its signed attributes lack the signing time');
  else if (signedAt < validFrom || signedAt > validTo) {
    const validity = `${validFrom.toISOString()} to ${validTo.toISOString()}`;
    problems.push(`it was signed at ${signedAt.toISOString()}, when its certificates are not all valid (${validity})`);
  }
  return { problems, signer, signedAt };
}

function attributeProblems(info: SignerInfo, manifest: Uint8Array): string[] {
  if (!info.signedAttributes) return ['it has no signed attributes'];
  const problems: string[] = [];
  const contentType = single(info, CONTENT_TYPE)?.objectIdentifier;
  if (contentType !== ID_DATA) problems.push('its signed attribute contentType is not id-data');
  const digest = digests[info.digestAlgorithm];
  if (!digest) return [...problems, `its digest algorithm ${info.digestAlgorithm} is unknown`];
  const expected = createHash(digest).update(manifest).digest();
  const found = single(info, MESSAGE_DIGEST)?.content;
  if (!found) problems.push('its signed attributes lack the message digest');
  else if (!found.equals(expected)) problems.push('it signs another manifest.json: the message digest differs');
  return problems;
}

function isSigned(info: SignerInfo, certificate: X509Certificate): boolean {
  const ofAlgorithm = signatureDigests[info.signatureAlgorithm];
  const digest = digests[info.digestAlgorithm];
  if (ofAlgorithm === undefined || !digest || !info.signedBytes) return false;
  if (ofAlgorithm !== null && ofAlgorithm !== digest) return false;
  return verify(digest, info.signedBytes, certificate.publicKey, info.signature);
}

function timeOf(info: SignerInfo): Date | null {
  return single(info, SIGNING_TIME)?.time ?? null;
}

/**
 * Returns the only value of an attribute.
 * @throws Error if it has no value or several
 */
function single(info: SignerInfo, type: string) {
  const values = info.signedAttributes?.get(type);
  if (values && values.length !== 1) throw new Error(`its signed attribute ${type} has ${values.length} values`);
  return values?.[0];
}
