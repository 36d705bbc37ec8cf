import type { KeyObject } from 'node:crypto';

/** The largest accepted exponent. Larger ones only make verification slow; practically every key uses 65537. */
const MAX_EXPONENT = 2n ** 32n;

/**
 * Returns true if the parts of a private key match. If they do not match, a signature could take hours in a thread that
 * cannot be stopped.
 */
export function isSoundRsaKey(privateKey: KeyObject): boolean {
  const jwk = privateKey.export({ format: 'jwk' });
  const [n, e, d, p, q, dp, dq, qi] = [jwk.n, jwk.e, jwk.d, jwk.p, jwk.q, jwk.dp, jwk.dq, jwk.qi].map(toNumber);
  if (!n || !e || !d || !p || !q || !dp || !dq || !qi) return false;
  return p * q === n && e < MAX_EXPONENT && d < n && dp < p && dq < q && qi < p;
}

function toNumber(base64url: unknown): bigint {
  return typeof base64url === 'string' ? BigInt(`0x0${Buffer.from(base64url, 'base64url').toString('hex')}`) : 0n;
}
