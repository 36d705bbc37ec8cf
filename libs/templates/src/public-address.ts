import { IPv6, isValid, process as parseAddress } from 'ipaddr.js';

const globalUnicast = new IPv6([0x2000, 0, 0, 0, 0, 0, 0, 0]);

/**
 * Whether an IP address is an ordinary public one: not private, loopback, link-local, multicast, documentation,
 * a carrier's, or a form of IPv6 that carries an IPv4 address (NAT64, 6to4, Teredo), which would lead around this check.
 * An IPv4-mapped address is judged as the IPv4 address it is; text that is no address is not public.
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export function isPublicAddress(text: string): boolean {
  if (!isValid(text)) return false;
  const address = parseAddress(text);
  if (address.range() !== 'unicast') return false;
  return !(address instanceof IPv6) || address.match(globalUnicast, 3);
}
