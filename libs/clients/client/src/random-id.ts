const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Returns 22 base62 characters with over 128 random bits. Does not use `randomUUID`, because browsers offer it only
 * with TLS.
 */
export function randomId(): string {
  let id = '';
  while (id.length < 22) {
    // 248 is the largest multiple of 62 that fits into a byte. Larger bytes would favour some characters.
    for (const byte of crypto.getRandomValues(new Uint8Array(32))) if (byte < 248) id += base62[byte % 62];
  }
  return id.slice(0, 22);
}
