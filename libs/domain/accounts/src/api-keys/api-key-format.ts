import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { accountOfPart, accountPart, randomId } from '@passwright/core';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const form = /^pw_(live|test)_([0-9A-Za-z]{22})_(?:([0-9A-Za-z]{22})_)?([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

export interface ApiKeyParts {
  readonly id: string;
  /** Null in the keys of earlier versions, which do not name their account. */
  readonly accountId: string | null;
  readonly secret: string;
  /** True for a key of a test account. */
  readonly isTest: boolean;
}

/**
 * Returns the prefix of an account's keys, `pw_live_` or `pw_test_`. Secret scanners find leaked keys by this prefix.
 */
export function apiKeyPrefix(isTest: boolean): string {
  return isTest ? 'pw_test_' : 'pw_live_';
}

/** Returns true if text begins like an API key. */
export function looksLikeApiKey(text: string): boolean {
  return text.startsWith(apiKeyPrefix(false)) || text.startsWith(apiKeyPrefix(true));
}

/** The format of a key's id. */
export const apiKeyId = /^[0-9A-Za-z]{22}$/;

/** Returns 43 base62 characters: 256 random bits. */
export function apiKeySecret(): string {
  return (randomId() + randomId()).slice(0, 43);
}

/**
 * Returns `pw_live_<id>_<account>_<secret><crc>`, or `pw_test_…` for a test account. `<account>` is the id of the
 * account without `acc_`, if the key names its account. The last six characters are the CRC-32 of all others, in
 * base62.
 */
export function apiKeyText({ id, accountId, secret, isTest }: ApiKeyParts): string {
  const account = accountPart(accountId);
  const text = `${apiKeyPrefix(isTest)}${id}_${account ? `${account}_` : ''}${secret}`;
  return text + checksum(text);
}

/** @returns null for text that is not an API key or is mistyped, which the CRC-32 detects */
export function parseApiKey(text: string): ApiKeyParts | null {
  const [, kind, id, account, secret, crc] = form.exec(text) ?? [];
  if (!id || !secret || crc !== checksum(text.slice(0, -6))) return null;
  return { id, accountId: accountOfPart(account), secret, isTest: kind === 'test' };
}

/** Hashes the secret; only the hash is stored. The secret is random, so a fast hash is as safe as a slow one. */
export function apiKeySecretHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Returns the `secretRef` of an API key's principal: the first 8 bytes of the hash, in hexadecimal. */
export function secretRefOf(secretHash: Buffer): string {
  return secretHash.toString('hex', 0, 8);
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < 6; i++, rest = Math.floor(rest / 62)) digits = base62.charAt(rest % 62) + digits;
  return digits;
}
