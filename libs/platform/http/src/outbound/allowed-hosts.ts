import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.js';

/**
 * Returns true if the operator allows calls to a host, even a private one. The list names hosts as `host` or
 * `host:port`.
 */
export function isHostAllowed(hostsAllowed: readonly string[], hostname: string, port: string): boolean {
  const host = (isIP(hostname) === 6 ? `[${hostname}]` : hostname).toLowerCase();
  return hostsAllowed.some((allowed) => [host, `${host}:${port}`].includes(allowed.toLowerCase()));
}

/** Returns the host name or address of a URL, without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Returns true for a port on which web servers usually listen: 80, 443, or one that needs no privileges. */
export function isWebPort(port: string): boolean {
  return port === '80' || port === '443' || Number(port) >= 1024;
}

const localNames = /(^|\.)(localhost|local|internal|home\.arpa)\.?$/i;

/** Returns true if the name of a host alone shows that it is private. Its addresses are checked when connecting. */
export function isPlainlyPrivate(host: string): boolean {
  return isIP(host) === 0 ? localNames.test(host) || !host.replace(/\.$/, '').includes('.') : !isPublicAddress(host);
}
