import { createHmac, hkdfSync } from 'node:crypto';

/**
 * Returns a function that makes the keys by which e-mails are counted. Tables of counters hold these keys instead of e-mails,
 * which cannot be guessed from them without the secret.
 */
export function emailKeys(accessTokenSecret: string): (email: string) => string {
  const key = new Uint8Array(hkdfSync('sha256', accessTokenSecret, '', 'passwright counters by e-mail', 32));
  return (email) => createHmac('sha256', key).update(email.toLowerCase()).digest('base64url');
}
