import { createHmac } from 'node:crypto';

/** What an e-mail is counted by: no table of counters holds e-mails, nor can they be guessed from it without the secret. */
export function emailKey(secret: string, email: string): string {
  return createHmac('sha256', secret).update(email.toLowerCase()).digest('base64url');
}
