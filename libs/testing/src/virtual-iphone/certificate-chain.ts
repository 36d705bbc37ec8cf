import { createHash, type X509Certificate } from 'node:crypto';
import type { PassCertificate } from './pass-certificate.js';

const PASS_SIGNING = '1.2.840.113635.100.4.14';
const longestChain = 4;
const mostKept = 200;

/** The properties of a signer and its issuers that hold during their common validity. */
export interface CertificateChain {
  readonly faults: readonly string[];
  /** The period in which every certificate of the chain is valid. */
  readonly validFrom: Date;
  readonly validTo: Date;
}

/**
 * The cache of verified chains. Checking certificate signatures is the most expensive step, and thousands of packages
 * share a chain.
 */
const kept = new Map<string, CertificateChain>();

/**
 * Follows the chain from a package's signer through the certificates inside the signature to a trusted root, as a phone
 * does. Without roots, the chain may end at the embedded intermediate. The result is cached by the bytes of the
 * certificates.
 */
export function certificateChain(
  signer: PassCertificate,
  embedded: readonly PassCertificate[],
  roots: readonly X509Certificate[],
): CertificateChain {
  const hash = createHash('sha256');
  const all = [signer.x509, ...embedded.map(({ x509 }) => x509), ...roots];
  for (const { raw } of all) hash.update(`${raw.length} `).update(raw);
  const key = `${hash.digest('base64')} ${roots.length}`;
  const known = kept.get(key);
  if (known) return known;
  const chain = followChain(signer, embedded, roots);
  const oldest = kept.keys().next();
  if (kept.size >= mostKept && !oldest.done) kept.delete(oldest.value);
  kept.set(key, chain);
  return chain;
}

function followChain(
  signer: PassCertificate,
  embedded: readonly PassCertificate[],
  roots: readonly X509Certificate[],
): CertificateChain {
  const faults = signerFaults(signer);
  const chain = [signer.x509];
  let anchored = false;
  for (let current = signer.x509; chain.length < longestChain && !anchored;) {
    const root = roots.find((candidate) => isIssuer(candidate, current));
    const issuer = root ?? embedded.find(({ x509 }) => x509 !== current && isIssuer(x509, current))?.x509;
    if (!issuer) break;
    chain.push(issuer);
    anchored = root !== undefined || roots.some((candidate) => candidate.raw.equals(issuer.raw));
    if (issuer.checkIssued(issuer)) break;
    current = issuer;
  }
  const embeddedIntermediate = embedded.some(({ x509 }) => x509.raw.equals(chain[1]?.raw ?? Buffer.alloc(0)));
  if (!embeddedIntermediate) faults.push('the intermediate certificate that issued the signer is not inside');
  if (roots.length > 0 && !anchored) faults.push('its certificates lead to no trusted root');
  return {
    faults,
    validFrom: new Date(Math.max(...chain.map(({ validFrom }) => Date.parse(validFrom)))),
    validTo: new Date(Math.min(...chain.map(({ validTo }) => Date.parse(validTo)))),
  };
}

function signerFaults(signer: PassCertificate): string[] {
  const faults: string[] = [];
  if (signer.x509.ca) faults.push("the signer's certificate is one of an authority");
  if (signer.markedPassType === undefined) {
    faults.push("the signer's certificate has no pass type marker (1.2.840.113635.100.6.1.16)");
  }
  if (!signer.extendedKeyUsages.includes(PASS_SIGNING)) {
    faults.push(`the signer's certificate is not for signing passes (extended key usage ${PASS_SIGNING})`);
  }
  return faults;
}

function isIssuer(candidate: X509Certificate, certificate: X509Certificate): boolean {
  return candidate.ca && certificate.checkIssued(candidate) && certificate.verify(candidate.publicKey);
}
