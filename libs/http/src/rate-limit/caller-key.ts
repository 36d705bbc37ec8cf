import type { AuthenticatedRequest } from '@passwright/core';
import type { Request } from 'express';

/** Whom a request counts for: the API key or user, else the address. */
export function callerKey({ principal, ip }: Pick<Request, 'ip'> & AuthenticatedRequest): string {
  return principal ? `${principal.kind}:${principal.id}` : `address:${network(ip ?? '')}`;
}

/** An IPv4 address itself; of an IPv6 address the /64 network, which one household or machine has to itself. */
function network(address: string): string {
  const v4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (v4 !== undefined || !address.includes(':')) return v4 ?? address;
  const [head = '', tail = ''] = address.split('::');
  const groups = (part: string) => part.split(':').filter((group) => group !== '');
  const zeros = new Array<string>(Math.max(0, 8 - groups(head).length - groups(tail).length)).fill('0');
  const all = [...groups(head), ...zeros, ...groups(tail)];
  return `${all.slice(0, 4).join(':')}::/64`;
}
