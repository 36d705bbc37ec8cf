import { isIPv4, isIPv6 } from 'node:net';

/**
 * Returns the address that rate limits count by: an IPv4 address, or the /64 network of an IPv6 address, because one
 * customer usually owns the whole network. `::ffff:192.0.2.7` counts as IPv4. All spellings of an address give the
 * same result.
 * @param ip `request.ip`. @returns `unknown` when the connection has ended or a proxy sent an invalid address
 */
export function clientAddress(ip: string | undefined): string {
  if (ip === undefined) return 'unknown';
  const [address = ''] = ip.split('%', 1);
  if (!isIPv6(address)) return isIPv4(address) ? address : 'unknown';
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  // Dotted decimals at the end of an IPv6 address count as two groups of 16 bits.
  const afterLength = after.length + (after.at(-1)?.includes('.') ? 1 : 0);
  const zeros = tail === undefined ? 0 : 8 - groups.length - afterLength;
  const all = [...groups, ...Array<string>(Math.max(0, zeros)).fill('0'), ...after];
  const [network, host] = [all.slice(0, 4).map(withoutZeros), all.slice(4)];
  const isMapped = [...network, withoutZeros(host[0] ?? '')].every((group) => group === '0') && host[1] === 'ffff';
  return isMapped ? host.slice(2).map(octets).join('.') : `${network.join(':')}::/64`;
}

function withoutZeros(group: string): string {
  return group.replace(/^0+(?=.)/, '');
}

/** Returns a group of 16 bits as two decimals with a dot. Dotted decimals stay as they are. */
function octets(group: string): string {
  const bits = parseInt(group, 16);
  return group.includes('.') ? group : `${bits >> 8}.${bits & 255}`;
}
