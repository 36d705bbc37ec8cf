import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { ApplePem } from '@passwright/core';
import { chainProblems, keyProblems, ownerProblems } from './certificate-problems.js';
import type { SigningMaterial } from './cms.js';

/**
 * Parses and checks signing material: everything but its dates, which change while the service runs. Text around the
 * PEM blocks ("Bag Attributes") is fine. @throws Error listing in words everything that is wrong with it
 */
export function loadSigningMaterial(pem: ApplePem): SigningMaterial {
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
  if (certificate) problems.push(...ownerProblems(certificate));
  if (!certificate || !intermediate || !privateKey || problems.length > 0) {
    throw new Error(['The Apple Wallet certificate cannot be used.', ...problems].join('\n- '));
  }
  return { certificate, intermediate, privateKey };
}
