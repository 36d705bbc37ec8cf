import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { randomId } from '@passwright/core';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const form = /^pw_live_([0-9A-Za-z]{22})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/** What every API key begins with, so that secret scanners find one that leaked. */
export const apiKeyPrefix = 'pw_live_';

/** The form of a key's id. */
export const apiKeyId = /^[0-9A-Za-z]{22}$/;

/** 43 base62 characters: 256 random bits. */
export function apiKeySecret(): string {
  return (randomId() + randomId()).slice(0, 43);
}

/** `pw_live_<id>_<secret><crc>`: the last six characters are the CRC-32 of all before them, in base62. */
export function apiKeyText(id: string, secret: string): string {
  const text = `${apiKeyPrefix}${id}_${secret}`;
  return text + checksum(text);
}

/** @returns null for what is no API key or was mistyped: a CRC-32 notices any change within 32 bits */
export function parseApiKey(text: string): { id: string; secret: string } | null {
  const [, id, secret, crc] = form.exec(text) ?? [];
  if (!id || !secret || crc !== checksum(text.slice(0, -6))) return null;
  return { id, secret };
}

/** Only the hash is stored. The secret is random, so a fast hash is as good as a slow one. */
export function apiKeySecretHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < 6; i++, rest = Math.floor(rest / 62)) digits = base62.charAt(rest % 62) + digits;
  return digits;
}
