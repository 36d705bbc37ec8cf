import type { MasterKey } from '@passwright/core';

const form = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/;

/**
 * Parses `id:key` pairs separated by commas. Each key has 32 bytes in base64, and each id occurs once. Returns null for
 * invalid text.
 */
export function parseMasterKeys(text: string): MasterKey[] | null {
  const keys: MasterKey[] = [];
  for (const part of text.split(',')) {
    const [, id, key] = form.exec(part.trim()) ?? [];
    if (id === undefined || key === undefined || keys.some((other) => other.id === id)) return null;
    keys.push({ id, key: Buffer.from(key, 'base64') });
  }
  return keys;
}
