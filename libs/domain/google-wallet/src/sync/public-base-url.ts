import { isIP } from 'node:net';

/**
 * Returns why Google cannot fetch images from `baseUrl`, as the end of a sentence; null if it probably can. Google
 * needs public https addresses without credentials, and fetches images when a class or object is written.
 */
export function unreachableBecause(baseUrl: string): string | null {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol !== 'https:') return `BASE_URL (${baseUrl}) is no https address`;
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return `BASE_URL (${baseUrl}) names a number instead of a host`;
  const isLocal = !hostname.includes('.') || /\.(localhost|local|internal|invalid)$/i.test(hostname);
  return isLocal ? `BASE_URL (${baseUrl}) is no public address` : null;
}
