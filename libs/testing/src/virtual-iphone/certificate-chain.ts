import { createHash, type X509Certificate } from 'node:crypto';
import type { PassCertificate } from './pass-certificate.js';

const PASS_SIGNING = '1.2.840.113635.100.4.14';
const longestChain = 4;
const mostStored = 200;

/** The result of checking a signer and its issuers, without their dates. */
export interface CertificateChain {
  readonly problems: readonly string[];
  /** The period in which every certificate of the chain is valid. */
  readonly validFrom: Date;
  readonly validTo: Date;
}

/** The cache of checked chains, because checking signatures is slow and thousands of packages share one chain. */
const stored = new Map<string, CertificateChain>();

/**
 * Follows the chain from a package's signer to a trusted root, through the certificates inside the signature, like a
 * phone. Without roots, the chain may end at the intermediate. Caches the result by the bytes of the certificates.
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
  const known = stored.get(key);
  if (known) return known;
  const chain = followChain(signer, embedded, roots);
  const oldest = stored.keys().next();
  if (stored.size >= mostStored && !oldest.done) stored.delete(oldest.value);
  stored.set(key, chain);
  return chain;
}

function followChain(
  signer: PassCertificate,
  embedded: readonly PassCertificate[],
  roots: readonly X509Certificate[],
): CertificateChain {
  const problems = signerErrors(signer);
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
  if (!embeddedIntermediate) problems.push('the intermediate certificate that issued the signer is not inside');
  if (roots.length > 0 && !anchored) problems.push('its certificates lead to no trusted root');
  return {
    problems,
    validFrom: new Date(Math.max(...chain.map(({ validFrom }) => Date.parse(validFrom)))),
    validTo: new Date(Math.min(...chain.map(({ validTo }) => Date.parse(validTo)))),
  };
}

function signerErrors(signer: PassCertificate): string[] {
  const problems: string[] = [];
  if (signer.x509.ca) problems.push("the signer's certificate is one of an authority");
  if (signer.markedPassType === undefined) {
    problems.push("the signer's certificate has no pass type marker (1.2.840.113635.100.6.1.16)");
  }
  if (!signer.extendedKeyUsages.includes(PASS_SIGNING)) {
    problems.push(`the signer's certificate is not for signing passes (extended key usage ${PASS_SIGNING})`);
  }
  return problems;
}

function isIssuer(candidate: X509Certificate, certificate: X509Certificate): boolean {
  return candidate.ca && certificate.checkIssued(candidate) && certificate.verify(candidate.publicKey);
}
