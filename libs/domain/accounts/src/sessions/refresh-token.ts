import { createHash, randomBytes } from 'node:crypto';

/** The parts of a refresh token. The token contains the id of its session, so that the look-up uses the primary key. */
export interface RefreshToken {
  readonly accountId: string;
  readonly sessionId: string;
  readonly secret: string;
}

const form = /^(acc_[0-9A-Za-z]{22})\.(ses_[0-9A-Za-z]{22})\.([\w-]{43})$/;

/** Returns 256 random bits, which make the token unguessable. */
export function refreshSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function refreshTokenText({ accountId, sessionId, secret }: RefreshToken): string {
  return `${accountId}.${sessionId}.${secret}`;
}

/** @returns null for text that is not a refresh token of this service */
export function parseRefreshToken(text: string): RefreshToken | null {
  const [, accountId, sessionId, secret] = form.exec(text) ?? [];
  return accountId && sessionId && secret ? { accountId, sessionId, secret } : null;
}

/** Hashes the secret; only the hash is stored. The secret is random, so a fast hash is as safe as a slow one. */
export function refreshSecretHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
