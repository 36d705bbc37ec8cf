import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { GoogleIdentity, GoogleServiceAccount } from '@passwright/core';

const ISSUER_ID = /^\d{10,20}$/;
/** Matches an e-mail address. Google's addresses have the form `name@project.iam.gserviceaccount.com`. */
const CLIENT_EMAIL = /^[\w.+-]{1,100}@[\w.-]{1,150}$/;

/** A service account with its parsed key. */
export interface GoogleCredential {
  readonly identity: GoogleIdentity;
  readonly key: KeyObject;
  /** The endpoint that issues the tokens of the account. */
  readonly tokenUrl: string;
}

/** Checks a service account and parses its key. @throws Error that lists everything that is wrong */
export function toCredential(account: GoogleServiceAccount, tokenUrl: string, development = false): GoogleCredential {
  const { issuerId, clientEmail } = account;
  const problems = [
    ...(ISSUER_ID.test(issuerId)
      ? []
      : ['The issuer id must be 10 to 20 digits, as the Google Pay & Wallet console shows it.']),
    ...(CLIENT_EMAIL.test(clientEmail) ? [] : ['The e-mail must be that of a service account.']),
  ];
  const key = parseKey(account.privateKeyPem, problems);
  if (!key || problems.length > 0) throw new Error(problems.join(' '));
  const fingerprint = createHash('sha256')
    .update(`${issuerId}\n${clientEmail}\n`)
    .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    .digest('hex');
  return { identity: { issuerId, clientEmail, fingerprint, development }, key, tokenUrl };
}

function parseKey(pem: string, problems: string[]): KeyObject | null {
  try {
    // Environment variables and secret stores often write a line break as a backslash and an n.
    const key = createPrivateKey(pem.replaceAll('\\r', '').replaceAll('\\n', '\n'));
    const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
    if (key.asymmetricKeyType === 'rsa' && modulusLength >= 2048 && modulusLength <= 8192) return key;
    problems.push('The private key must be an RSA key of at least 2048 bits.');
  } catch {
    problems.push('The private key cannot be read; it must be PEM text, beginning with -----BEGIN PRIVATE KEY-----.');
  }
  return null;
}
