import { isIP } from 'node:net';
import * as ipaddr from 'ipaddr.js';

const globalUnicast = new ipaddr.IPv6([0x2000, 0, 0, 0, 0, 0, 0, 0]);

/**
 * Whether an IP address is an ordinary public one: not private, loopback, link-local, multicast, documentation,
 * a carrier's, or a form of IPv6 that carries an IPv4 address (NAT64, 6to4, Teredo), which would lead around this check.
 * An IPv4-mapped address is judged as the IPv4 address it is; text that is no address is not public.
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return !(address instanceof ipaddr.IPv6) || address.match(globalUnicast, 3);
}
