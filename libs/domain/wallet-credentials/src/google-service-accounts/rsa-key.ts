import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

const MIN_BITS = 2048;
/** Maximum key size in bits. The time for signing grows with the third power of the size. */
const MAX_BITS = 4096;
const probe = Buffer.from('Does the key fit together?');

/** A private key as PKCS#8 PEM text, or the problem with it as the end of a sentence. */
export type ReadKey = { readonly privateKeyPem: string } | { readonly problem: string };

/** Reads an RSA private key in PEM, and replaces line ends written as `\n`. Problems never quote the key. */
export function readRsaKey(text: string): ReadKey {
  const pem = text.replaceAll('\\r', '').replaceAll('\\n', '\n');
  const problem = labelProblem(pem);
  if (problem) return { problem };
  const key = parsed(pem);
  if (!key) return { problem: 'is damaged: its PEM text cannot be read as a private key' };
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type !== 'rsa') return { problem: `must be an RSA key, and is of another kind (${type ?? 'unknown'})` };
  const bits = details?.modulusLength ?? 0;
  if (bits < MIN_BITS) return { problem: `has ${bits} bits only, and must have ${MIN_BITS} at least` };
  if (bits > MAX_BITS) return { problem: `has ${bits} bits, and must have ${MAX_BITS} at most` };
  if (!fitsTogether(key)) return { problem: 'is damaged: what it signs cannot be verified' };
  return { privateKeyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

function labelProblem(pem: string): string | null {
  if (pem === '') return 'is missing: send the whole file that Google Cloud hands out';
  if (pem.includes('ENCRYPTED')) return 'must not be encrypted with a passphrase';
  if (/-----BEGIN (?:RSA |EC )?PRIVATE KEY-----/.test(pem)) return null;
  if (pem.includes('-----BEGIN ')) return 'must be a private key, and is something else in PEM';
  return 'must be PEM text, beginning with -----BEGIN PRIVATE KEY-----';
}

function parsed(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}

function fitsTogether(key: KeyObject): boolean {
  try {
    return verify('sha256', probe, createPublicKey(key), sign('sha256', probe, key));
  } catch {
    return false;
  }
}
