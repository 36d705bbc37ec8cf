import { isIP } from 'node:net';
import * as ipaddr from 'ipaddr.js';

/** Azure's virtual machines read their settings from this address. It belongs to no other network. */
const azureHost = '168.63.129.16';
const globalUnicast = new ipaddr.IPv6([0x2000, 0, 0, 0, 0, 0, 0, 0]);

/**
 * Returns true if an IP address is public. Returns false for private, loopback, link-local, multicast, documentation
 * and carrier addresses, for Azure's host, and for other text. Also returns false for IPv6 addresses that embed an IPv4
 * address (NAT64, 6to4, Teredo), because they could hide a private one. An IPv4-mapped address counts as its IPv4
 * address.
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast' || address.toString() === azureHost) return false;
  return !(address instanceof ipaddr.IPv6) || address.match(globalUnicast, 3);
}
