import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { extensionValue } from './certificate-der.js';
import type { SigningMaterial } from './cms.js';
import { readDer } from './der.js';

/** OIDs of Apple's WWDR certificate policy that mark a pass type certificate. */
export const appleOids = {
  passSigning: '1.2.840.113635.100.4.14',
  passTypeIdentifier: '1.2.840.113635.100.6.1.16',
} as const;

/** A pass type certificate with its key and issuer, as PEM text. Text around the blocks ("Bag Attributes") is fine. */
export interface SigningPem {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  /** Of an encrypted private key. */
  readonly passphrase?: string;
  readonly intermediatePem: string;
}

/** What a leaf certificate says of its owner, in Apple's terms. */
export interface CertificateOwner {
  readonly passTypeIdentifier: string;
  readonly teamIdentifier: string;
  readonly organizationName: string;
}

/** Parses and checks signing material. @throws Error listing in words everything that is wrong with it */
export function loadSigningMaterial(pem: SigningPem, now: Date): SigningMaterial {
  const problems: string[] = [];
  const parsed = <T>(what: string, parse: () => T): T | null => {
    try {
      return parse();
    } catch (error) {
      problems.push(`The ${what} cannot be read (${error instanceof Error ? error.message : String(error)}).`);
      return null;
    }
  };
  const certificate = parsed('certificate', () => new X509Certificate(pem.certificatePem));
  const intermediate = parsed('intermediate certificate', () => new X509Certificate(pem.intermediatePem));
  const privateKey = parsed('private key', () =>
    createPrivateKey({ key: pem.privateKeyPem, passphrase: pem.passphrase }),
  );
  if (certificate && privateKey) problems.push(...keyProblems(certificate, privateKey));
  if (certificate && intermediate) problems.push(...chainProblems(certificate, intermediate));
  if (certificate) problems.push(...ownerProblems(certificate), ...dateProblems('certificate', certificate, now));
  if (intermediate) problems.push(...dateProblems('intermediate certificate', intermediate, now));
  if (!certificate || !intermediate || !privateKey || problems.length > 0) {
    throw new Error(['The Apple Wallet certificate cannot be used.', ...problems].join('\n- '));
  }
  return { certificate, intermediate, privateKey };
}

/** Reads the pass type, team and company out of a pass type certificate's subject; empty where it has none. */
export function certificateOwner(certificate: X509Certificate): CertificateOwner {
  // The legacy form is the only one with unescaped values.
  const subject = certificate.toLegacyObject().subject as unknown as Partial<Record<string, string | string[]>>;
  const only = (name: string) => [subject[name] ?? ''].flat()[0] ?? '';
  return { passTypeIdentifier: only('UID'), teamIdentifier: only('OU'), organizationName: only('O') };
}

/** The time in which all of these certificates are valid, both ends included. */
export function validity(...certificates: readonly X509Certificate[]): { from: Date; to: Date } {
  return {
    from: new Date(Math.max(...certificates.map(({ validFrom }) => Date.parse(validFrom)))),
    to: new Date(Math.min(...certificates.map(({ validTo }) => Date.parse(validTo)))),
  };
}

function keyProblems(certificate: X509Certificate, privateKey: KeyObject): string[] {
  const problems: string[] = [];
  if (privateKey.asymmetricKeyType !== 'rsa') {
    problems.push(`The private key is ${privateKey.asymmetricKeyType ?? 'unknown'}: Apple Wallet takes RSA keys only.`);
  }
  if (!certificate.checkPrivateKey(privateKey)) problems.push('The private key does not belong to the certificate.');
  return problems;
}

function chainProblems(certificate: X509Certificate, intermediate: X509Certificate): string[] {
  const problems: string[] = [];
  if (!intermediate.ca) problems.push('The intermediate certificate is not that of a certificate authority.');
  if (!certificate.checkIssued(intermediate) || !certificate.verify(intermediate.publicKey)) {
    problems.push(
      `The certificate was not issued by this intermediate ("${oneLine(intermediate.subject)}") ` +
        `but by "${oneLine(certificate.issuer)}": take the one whose subject key identifier is the certificate's authority key identifier.`,
    );
  }
  return problems;
}

function ownerProblems(certificate: X509Certificate): string[] {
  const problems: string[] = [];
  const { passTypeIdentifier, teamIdentifier } = certificateOwner(certificate);
  if (!passTypeIdentifier) problems.push('The certificate names no pass type identifier (UID) in its subject.');
  if (!teamIdentifier) problems.push('The certificate names no team identifier (OU) in its subject.');
  // Named `keyUsage` by Node, but it lists the extended key usages.
  if (!certificate.keyUsage?.includes(appleOids.passSigning)) {
    problems.push(
      `The certificate is not for signing passes (extended key usage ${appleOids.passSigning} is missing).`,
    );
  }
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

function dateProblems(what: string, certificate: X509Certificate, now: Date): string[] {
  const { from, to } = validity(certificate);
  if (from <= now && now <= to) return [];
  return [
    `The ${what} is not valid now: it is valid from ${from.toISOString()} to ${to.toISOString()}, ` +
      `and the clock says ${now.toISOString()}.`,
  ];
}

function oneLine(name: string): string {
  return name.split('\n').join(', ');
}
