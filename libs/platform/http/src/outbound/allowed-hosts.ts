import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.js';

/** Whether an operator lets a host be called whatever its addresses are: it is listed as `host`, or as `host:port`. */
export function isHostAllowed(hostsAllowed: readonly string[], hostname: string, port: string): boolean {
  const host = (isIP(hostname) === 6 ? `[${hostname}]` : hostname).toLowerCase();
  return hostsAllowed.some((allowed) => [host, `${host}:${port}`].includes(allowed.toLowerCase()));
}

/** The name or address of a URL's host, an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Returns whether web servers listen on a port by custom: 80, 443, or one that needs no privileges. */
export function isWebPort(port: string): boolean {
  return port === '80' || port === '443' || Number(port) >= 1024;
}

const localNames = /(^|\.)(localhost|local|internal|home\.arpa)\.?$/i;

/** Whether a host is plainly of a private network, by itself alone; what a name resolves to is for the connection to check. */
export function isPlainlyPrivate(host: string): boolean {
  return isIP(host) === 0 ? localNames.test(host) || !host.replace(/\.$/, '').includes('.') : !isPublicAddress(host);
}
