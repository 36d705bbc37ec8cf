import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { ApplePem } from '@passwright/core/plain';
import { chainProblems, keyKindProblems, keyProblems, ownerProblems } from './certificate-problems.js';
import type { SigningMaterial } from './detached-cms.js';

/**
 * Parses and checks signing material. Does not check its dates, because a certificate can expire while the service
 * runs. Ignores text around the PEM blocks ("Bag Attributes").
 * @throws Error that lists everything that is wrong
 */
export function loadSigningMaterial(pem: ApplePem): SigningMaterial {
  const problems: string[] = [];
  const certificates = readCertificates(pem, problems);
  const privateKey = parsed(problems, 'private key', () =>
    createPrivateKey({ key: pem.privateKeyPem, passphrase: pem.passphrase }),
  );
  if (certificates.certificate && privateKey) problems.push(...keyProblems(certificates.certificate, privateKey));
  const { certificate, intermediate } = checked(certificates, problems);
  if (!privateKey || problems.length > 0) throw unusable(problems);
  return { certificate, intermediate, privateKey };
}

/** Parses and checks certificates whose key is elsewhere. @throws Error in the same cases as `loadSigningMaterial` */
export function loadCertificates(
  pem: Pick<ApplePem, 'certificatePem' | 'intermediatePem'>,
): Pick<SigningMaterial, 'certificate' | 'intermediate'> {
  const problems: string[] = [];
  const certificates = readCertificates(pem, problems);
  if (certificates.certificate) problems.push(...keyKindProblems(certificates.certificate.publicKey));
  const { certificate, intermediate } = checked(certificates, problems);
  if (problems.length > 0) throw unusable(problems);
  return { certificate, intermediate };
}

interface ReadCertificates {
  readonly certificate: X509Certificate | null;
  readonly intermediate: X509Certificate | null;
}

function readCertificates(
  pem: Pick<ApplePem, 'certificatePem' | 'intermediatePem'>,
  problems: string[],
): ReadCertificates {
  return {
    certificate: parsed(problems, 'certificate', () => new X509Certificate(pem.certificatePem)),
    intermediate: parsed(problems, 'intermediate certificate', () => new X509Certificate(pem.intermediatePem)),
  };
}

/** @throws Error if one of the certificates was not readable */
function checked({ certificate, intermediate }: ReadCertificates, problems: string[]) {
  if (certificate && intermediate) problems.push(...chainProblems(certificate, intermediate));
  if (certificate) problems.push(...ownerProblems(certificate));
  if (!certificate || !intermediate) throw unusable(problems);
  return { certificate, intermediate };
}

function parsed<T>(problems: string[], what: string, parse: () => T): T | null {
  try {
    return parse();
  } catch (error) {
    problems.push(`The ${what} cannot be read (${error instanceof Error ? error.message : String(error)}).`);
    return null;
  }
}

function unusable(problems: readonly string[]): Error {
  return new Error(['The Apple Wallet certificate cannot be used.', ...problems].join('\n- '));
}
