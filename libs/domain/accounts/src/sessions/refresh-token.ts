import { createHash, randomBytes } from 'node:crypto';

/** What a refresh token says: it names its session, so that the look-up is by primary key. */
export interface RefreshToken {
  readonly accountId: string;
  readonly sessionId: string;
  readonly secret: string;
}

const form = /^(acc_[0-9A-Za-z]{22})\.(ses_[0-9A-Za-z]{22})\.([\w-]{43})$/;

/** 256 random bits: what makes a token unguessable. */
export function refreshSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function refreshTokenText({ accountId, sessionId, secret }: RefreshToken): string {
  return `${accountId}.${sessionId}.${secret}`;
}

/** @returns null for what is no refresh token of ours */
export function parseRefreshToken(text: string): RefreshToken | null {
  const [, accountId, sessionId, secret] = form.exec(text) ?? [];
  return accountId && sessionId && secret ? { accountId, sessionId, secret } : null;
}

/** Only the hash is stored. The secret is random, so a fast hash is as good as a slow one. */
export function refreshSecretHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
