import { type KeyObject, verify } from 'node:crypto';

type Json = Readonly<Record<string, unknown>>;

/** A JWT in its compact form, parsed but not verified. */
export interface CompactJwt {
  readonly header: Json;
  readonly claims: Json;
  /** Returns true if this key signed the JWT with RS256. */
  isSignedBy(key: KeyObject): boolean;
}

/**
 * Parses a JWT. @returns null unless it has three parts in base64url without padding, and the first two are JSON
 * objects
 */
export function compactJwt(text: string): CompactJwt | null {
  const parts = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(text);
  if (!parts) return null;
  const [, head = '', body = '', signature = ''] = parts;
  const [header, claims] = [head, body].map((part) => jsonObject(Buffer.from(part, 'base64url').toString('utf8')));
  if (!header || !claims) return null;
  return {
    header,
    claims,
    isSignedBy: (key) =>
      header['alg'] === 'RS256' &&
      verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url')),
  };
}

/** Parses a JSON object. @returns null for any other text */
export function jsonObject(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function isJsonObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
