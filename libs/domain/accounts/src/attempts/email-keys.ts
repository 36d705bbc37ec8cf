import { createHmac, hkdfSync } from 'node:crypto';

/**
 * Returns a function that derives a key from an e-mail. The tables of attempts store these keys, which reveal no e-mail
 * without the secret.
 */
export function emailKeys(accessTokenSecret: string): (email: string) => string {
  const key = new Uint8Array(hkdfSync('sha256', accessTokenSecret, '', 'passwright counters by e-mail', 32));
  return (email) => createHmac('sha256', key).update(email.toLowerCase()).digest('base64url');
}
