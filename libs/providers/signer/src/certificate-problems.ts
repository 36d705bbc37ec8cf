import type { KeyObject, X509Certificate } from 'node:crypto';
import { APPLE_AUTHORITIES_URL } from './apple-certificates.js';
import { authorityKeyIdentifier, extensionValue, issued, subjectKeyIdentifier } from './certificate-der.js';
import { readDer } from './der.js';

/** OIDs of Apple's WWDR certificate policy that mark a pass type certificate. */
export const appleOids = {
  passSigning: '1.2.840.113635.100.4.14',
  passTypeIdentifier: '1.2.840.113635.100.6.1.16',
} as const;

/**
 * The accepted key sizes in bits. Apple issues certificates for keys of 2048 bits. Larger keys would slow down all
 * signatures.
 */
const keyBits = { least: 2048, most: 4096 };

/** The owner of a leaf certificate, with Apple's terms. */
export interface CertificateOwner {
  readonly passTypeIdentifier: string;
  readonly teamIdentifier: string;
  readonly organizationName: string;
}

/** Reads pass type, team and company from a certificate's subject. A missing value is empty. */
export function certificateOwner(certificate: X509Certificate): CertificateOwner {
  const only = subjectReader(certificate);
  return { passTypeIdentifier: only('UID'), teamIdentifier: only('OU'), organizationName: only('O') };
}

/** Returns the period in which all of these certificates are valid, both ends included. */
export function validity(...certificates: readonly X509Certificate[]): { from: Date; to: Date } {
  return {
    from: new Date(Math.max(...certificates.map(({ validFrom }) => Date.parse(validFrom)))),
    to: new Date(Math.min(...certificates.map(({ validTo }) => Date.parse(validTo)))),
  };
}

/** Returns the reasons why this key cannot sign for this certificate. */
export function keyProblems(certificate: X509Certificate, privateKey: KeyObject): string[] {
  const problems = keyKindProblems(privateKey);
  if (!certificate.checkPrivateKey(privateKey)) problems.push('The private key does not belong to the certificate.');
  return problems;
}

/** Returns the reasons why Apple Wallet does not accept this kind of key. Works for private and public keys. */
export function keyKindProblems({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string[] {
  if (asymmetricKeyType !== 'rsa') {
    return [
      `The private key is ${asymmetricKeyType ?? 'unknown'}: Apple Wallet takes RSA keys only; ` +
        'make an RSA key of 2048 bits and have a certificate issued for it.',
    ];
  }
  const bits = asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits >= keyBits.least && bits <= keyBits.most) return [];
  return [`The private key has ${bits} bits: it must have ${keyBits.least} (as Apple asks) to ${keyBits.most}.`];
}

/** Returns the reasons why this intermediate does not link the certificate to Apple's root. */
export function chainProblems(certificate: X509Certificate, intermediate: X509Certificate): string[] {
  const problems: string[] = [];
  if (!intermediate.ca) problems.push('The intermediate certificate is not that of a certificate authority.');
  if (!issued(intermediate, certificate)) {
    problems.push(
      `The certificate was not issued by this intermediate (${named(intermediate.subject, subjectKeyIdentifier(intermediate))}) ` +
        `but by ${issuerOf(certificate)}.`,
    );
  }
  return problems;
}

/** Returns the problem of a certificate whose issuer is neither uploaded nor bundled. */
export function missingIntermediate(certificate: X509Certificate, bundled: readonly X509Certificate[]): string {
  const known = bundled.map((authority) => named(authority.subject, subjectKeyIdentifier(authority))).join(', ');
  return (
    `The intermediate certificate is missing: the certificate was issued by ${issuerOf(certificate)}; ` +
    `hand that one in as well. Bundled is ${known}; Apple's others are at ${APPLE_AUTHORITIES_URL}.`
  );
}

/** Returns the reasons why a certificate is not a pass type certificate, or does not name its pass type and team. */
export function ownerProblems(certificate: X509Certificate): string[] {
  // Node's `keyUsage` lists the extended key usages.
  if (!certificate.keyUsage?.includes(appleOids.passSigning)) {
    return [
      `"${subjectReader(certificate)('CN') || oneLine(certificate.subject)}" is not a pass type certificate ` +
        `(extended key usage ${appleOids.passSigning} is missing): make one for a Pass Type ID in Apple's developer portal.`,
    ];
  }
  const problems: string[] = [];
  const { passTypeIdentifier, teamIdentifier } = certificateOwner(certificate);
  if (!passTypeIdentifier) problems.push('The certificate names no pass type identifier (UID) in its subject.');
  if (!teamIdentifier) problems.push('The certificate names no team identifier (OU) in its subject.');
  const marker = extensionValue(certificate, appleOids.passTypeIdentifier);
  const marked = marker && readDer(marker)[0]?.content.toString('utf8');
  if (marked !== passTypeIdentifier) {
    problems.push(
      `The certificate's extension ${appleOids.passTypeIdentifier} ${marked ? `says "${marked}"` : 'is missing'}: ` +
        `it must be the pass type identifier "${passTypeIdentifier}".`,
    );
  }
  return problems;
}

/**
 * Returns a problem if a certificate is not valid now.
 * @param what the certificate as the subject of a sentence
 */
export function dateProblems(what: string, certificate: X509Certificate, now: Date): string[] {
  const { from, to } = validity(certificate);
  if (now > to) return [`${what} expired on ${to.toISOString()}: renew it in Apple's developer portal.`];
  if (now < from) return [`${what} is not valid before ${from.toISOString()}, and it is ${now.toISOString()} now.`];
  return [];
}

function issuerOf(certificate: X509Certificate): string {
  return named(certificate.issuer, authorityKeyIdentifier(certificate));
}

function named(name: string, keyIdentifier: string | null): string {
  return `"${oneLine(name)}"${keyIdentifier ? ` with the subject key identifier ${keyIdentifier}` : ''}`;
}

function oneLine(name: string): string {
  return name.split('\n').join(', ');
}

function subjectReader(certificate: X509Certificate): (name: string) => string {
  // Only Node's legacy object contains the values without escapes.
  const subject = certificate.toLegacyObject().subject as unknown as Partial<Record<string, string | string[]>>;
  return (name) => [subject[name] ?? ''].flat()[0] ?? '';
}
